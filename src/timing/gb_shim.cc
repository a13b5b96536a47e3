// SPDX-License-Identifier: MIT
/*
 * Google Benchmark behind C functions. The only C++ file: everything that is the library's stays in
 * here, and no exception leaves it.
 *
 * Works with 1.7 (Debian 12), 1.8 (Ubuntu 24.04) and 1.9, which differ in how a run says that it
 * failed and in how --benchmark_min_time is written. Which of them is at hand is asked of the
 * types, never of a version.
 */
#include "timing/gb_shim.h"

#include "timing/gb_version.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using benchmark::BenchmarkReporter;
using benchmark::State;
using Run = BenchmarkReporter::Run;

/* 1.8 replaced Run::error_occurred by Run::skipped. */
template <typename R, typename = void> struct has_skipped : std::false_type {
};
template <typename R>
struct has_skipped<R, std::void_t<decltype(std::declval<R>().skipped)>> : std::true_type {
};

template <typename R> bool run_failed(const R &run)
{
	if constexpr (has_skipped<R>::value)
		return static_cast<int>(run.skipped) != 0;
	else
		return run.error_occurred;
}

/* Keeps what the library reports of one run, and prints nothing. */
class capturing_reporter : public BenchmarkReporter
{
      public:
	bool ReportContext(const Context &) override
	{
		return true;
	}

	void ReportRuns(const std::vector<Run> &reports) override
	{
		for (const Run &run : reports) {
			if (run.run_type != Run::RT_Iteration)
				continue;
			runs++;
			failed = failed || run_failed(run);
			ns_per_iteration = run.GetAdjustedRealTime();
			iterations = static_cast<uint64_t>(run.iterations);
		}
	}

	unsigned runs = 0;
	bool failed = false;
	double ns_per_iteration = 0;
	uint64_t iterations = 0;
};

/*
 * Every flag that could change what a case does. The library takes their defaults from variables
 * like BENCHMARK_OUT when it is loaded; flags given here win. Flags that a version does not know
 * stay in argv, unread.
 */
bool set_own_flags()
{
	static char program[] = "memcgbench"; /* the library keeps the pointer */
	std::array<std::string, 14> flags = {
		"--benchmark_list_tests=false",
		"--benchmark_filter=",
		has_skipped<Run>::value ? "--benchmark_min_time=0.5s" : "--benchmark_min_time=0.5",
		"--benchmark_min_warmup_time=0",
		"--benchmark_repetitions=1",
		"--benchmark_dry_run=false",
		"--benchmark_enable_random_interleaving=false",
		"--benchmark_report_aggregates_only=false",
		"--benchmark_display_aggregates_only=false",
		"--benchmark_format=console",
		"--benchmark_out=",
		"--benchmark_out_format=json",
		"--benchmark_perf_counters=",
		"--v=0",
	};
	std::vector<char *> argv = {program};
	int argc = static_cast<int>(flags.size()) + 1;

	for (std::string &flag : flags)
		argv.push_back(flag.data());
	argv.push_back(nullptr);
	benchmark::Initialize(&argc, argv.data());
	return true;
}

int time_loop(const char *name, uint64_t iterations, bool manual, gb_loop loop, void *arg,
	      double *total_ns, struct error *err)
{
	capturing_reporter reporter;
	unsigned calls = 0;
	int result = 0;

	auto body = [&](State &state) {
		while (state.KeepRunningBatch(static_cast<int64_t>(iterations))) {
			double manual_ns = 0;

			calls++;
			result = loop(arg, iterations, &manual_ns);
			if (result < 0) {
				state.SkipWithError("the loop failed");
				break;
			}
			if (manual)
				state.SetIterationTime(manual_ns / 1e9);
		}
	};

	/* Once: every call adds the pairs of BENCHMARK_CONTEXT again, and the library complains. */
	static const bool flags_set = set_own_flags();

	(void)flags_set;
	benchmark::ClearRegisteredBenchmarks();
	auto *registered = benchmark::RegisterBenchmark(name, body);
	registered->Iterations(static_cast<int64_t>(iterations));
	registered->Repetitions(1)->Unit(benchmark::kNanosecond);
	if (manual)
		registered->UseManualTime();
	else
		registered->UseRealTime();
	benchmark::RunSpecifiedBenchmarks(&reporter, nullptr, ".");
	benchmark::ClearRegisteredBenchmarks();

	if (result < 0)
		return error_set(err, result, "%s: the timed loop failed: %s", name,
				 strerror(-result));
	if (calls != 1 || reporter.runs != 1 || reporter.failed ||
	    reporter.iterations != iterations)
		return error_set(err, -EIO,
				 "%s: Google Benchmark called the loop %u times and reported %u "
				 "runs (one of each was asked for)",
				 name, calls, reporter.runs);
	*total_ns = reporter.ns_per_iteration * static_cast<double>(iterations);
	return 0;
}

/*
 * The value of a flag as the library will see it: the last one given, else its variable, else "".
 */
std::string flag_value(const std::vector<std::string> &args, const std::string &name)
{
	std::string prefix = "--" + name + "=", variable, value;
	const char *set;

	for (char c : name)
		variable += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
	set = std::getenv(variable.c_str());
	value = set ? set : "";
	for (const std::string &arg : args) {
		if (arg.compare(0, prefix.size(), prefix) == 0)
			value = arg.substr(prefix.size());
	}
	return value;
}

/* 0.1 is what 1.7 reads, 0.1s is what 1.8 wants: take either, hand on what the library at hand
 * reads. */
void adapt_min_time(std::vector<std::string> &args)
{
	static const std::string prefix = "--benchmark_min_time=";

	for (std::string &arg : args) {
		if (arg.compare(0, prefix.size(), prefix) != 0 || arg.size() == prefix.size())
			continue;
		bool digit = arg.back() >= '0' && arg.back() <= '9';

		if (has_skipped<Run>::value && digit)
			arg += 's';
		else if (!has_skipped<Run>::value && arg.back() == 's')
			arg.pop_back();
	}
}

/*
 * JSON that every parser reads. With repetitions the library adds the coefficient of variation of
 * each counter, which of a counter that is always 0 is 0/0, and prints a bare NaN.
 */
class strict_json_reporter : public benchmark::JSONReporter
{
      public:
	void ReportRuns(const std::vector<Run> &reports) override
	{
		std::vector<Run> finite;

		for (const Run &report : reports) {
			if (!std::isfinite(report.GetAdjustedRealTime()) ||
			    !std::isfinite(report.GetAdjustedCPUTime()))
				continue;
			finite.push_back(report);
			auto &counters = finite.back().counters;

			for (auto i = counters.begin(); i != counters.end();)
				i = std::isfinite(i->second.value) ? std::next(i)
								   : counters.erase(i);
		}
		JSONReporter::ReportRuns(finite);
	}
};

/* Keys of a run in the library's JSON, of all versions: a counter of that name would be a second
 * one. */
const char *const json_fields[] = {
	"name",
	"family_index",
	"per_family_instance_index",
	"run_name",
	"run_type",
	"repetitions",
	"repetition_index",
	"threads",
	"aggregate_name",
	"aggregate_unit",
	"error_occurred",
	"error_message",
	"skipped",
	"skip_message",
	"iterations",
	"real_time",
	"cpu_time",
	"time_unit",
	"cpu_coefficient",
	"real_coefficient",
	"big_o",
	"rms",
	"label",
	"allocs_per_iter",
	"max_bytes_used",
	"total_allocated_bytes",
	"net_heap_growth",
};

const char *add_counters(State &state, const struct gb_case &one, void *instance)
{
	struct gb_counter counters[GB_MAX_COUNTERS] = {};
	unsigned nr;

	if (!one.counters)
		return nullptr;
	nr = one.counters(instance, counters);
	for (unsigned i = 0; i < nr && i < GB_MAX_COUNTERS; i++) {
		for (const char *field : json_fields) {
			if (strcmp(counters[i].name, field) == 0)
				return "a counter has the name of a field";
		}
		if (!std::isfinite(counters[i].value))
			return "a counter is not finite";
		/* Value of an operation x operations / time. */
		state.counters[counters[i].name] = benchmark::Counter(
			counters[i].value, counters[i].per_second
						   ? benchmark::Counter::kIsIterationInvariantRate
						   : benchmark::Counter::kDefaults);
	}
	return nullptr;
}

/*
 * The suite while it runs: which case has a state. Setting up may take a second and gigabytes, so
 * a state is kept over the calls that the library makes for one case, and is gone before the next.
 */
class suite
{
      public:
	suite() = default;
	suite(const suite &) = delete;
	suite &operator=(const suite &) = delete;
	~suite()
	{
		leave();
	}

	void run(State &state, const struct gb_case &one)
	{
		int r = enter(one);

		if (r == 0)
			r = timed_part(state, one);
		const char *fault = r < 0 ? strerror(-r) : add_counters(state, one, instance);
		if (fault) {
			failed = true;
			std::fprintf(stderr, "%s: %s\n", one.name, fault);
			state.SkipWithError(fault);
		}
	}

	bool failed = false;

      private:
	int enter(const struct gb_case &one)
	{
		int r;

		if (current == &one)
			return 0;
		leave();
		r = one.setup ? one.setup(&one, &instance) : 0;
		if (r == 0)
			current = &one;
		return r;
	}

	void leave()
	{
		if (current && current->teardown)
			current->teardown(instance);
		current = nullptr;
		instance = nullptr;
	}

	int timed_part(State &state, const struct gb_case &one)
	{
		auto batch = static_cast<uint64_t>(state.max_iterations);

		while (state.KeepRunningBatch(static_cast<int64_t>(batch))) {
			double ns = 0;
			int r = one.run_timed ? one.run_timed(instance, batch, &ns)
					      : one.run(instance, batch);

			if (r < 0)
				return r;
			if (one.run_timed)
				state.SetIterationTime(ns / 1e9);
		}
		return 0;
	}

	const struct gb_case *current = nullptr;
	void *instance = nullptr;
};

void register_case(suite &all, const struct gb_case &one)
{
	auto *registered = benchmark::RegisterBenchmark(
		one.name, [&all, &one](State &state) { all.run(state, one); });

	if (one.iterations > 0)
		registered->Iterations(static_cast<int64_t>(one.iterations));
	/* Not UseRealTime(), which changes names: wall time is reported in any case. */
	if (one.run_timed)
		registered->UseManualTime();
}

/* What the library calls where a flag's value is wrong: it would print its help and exit with 0. */
void refuse()
{
	std::fprintf(stderr, "wrong value of a --benchmark_ flag (--help lists them)\n");
	std::exit(EXIT_TROUBLE);
}

int run_suite(int argc, char **argv, const struct gb_case *cases, unsigned nr_cases)
{
	std::vector<std::string> args(argv, argv + argc);
	std::vector<char *> pointers;
	std::unique_ptr<BenchmarkReporter> display, file;
	bool help = false;
	suite all;

	if (flag_value(args, "benchmark_format") == "json")
		display = std::make_unique<strict_json_reporter>();
	if (!flag_value(args, "benchmark_out").empty() &&
	    flag_value(args, "benchmark_out_format") != "console" &&
	    flag_value(args, "benchmark_out_format") != "csv")
		file = std::make_unique<strict_json_reporter>();
	adapt_min_time(args);
	for (std::string &arg : args) {
		help = help || arg == "--help";
		pointers.push_back(arg.data());
	}
	pointers[0] = argv[0]; /* the library keeps the pointer */
	pointers.push_back(nullptr);

	benchmark::Initialize(&argc, pointers.data(), help ? benchmark::PrintDefaultHelp : refuse);
	for (int i = 1; i < argc; i++)
		std::fprintf(stderr, "%s: unknown argument `%s' (--help lists the known ones)\n",
			     args[0].c_str(), pointers[static_cast<size_t>(i)]);
	if (argc > 1)
		return EXIT_TROUBLE;

	benchmark::ClearRegisteredBenchmarks();
	for (unsigned i = 0; i < nr_cases; i++)
		register_case(all, cases[i]);
	size_t matched = benchmark::RunSpecifiedBenchmarks(display.get(), file.get());

	benchmark::ClearRegisteredBenchmarks();
	benchmark::Shutdown();
	return all.failed || matched == 0 ? EXIT_TROUBLE : EXIT_FINE;
}

} // namespace

int gb_time(const char *name, uint64_t iterations, int manual, gb_loop loop, void *arg,
	    double *total_ns, struct error *err)
{
	if (iterations == 0 || iterations > std::numeric_limits<int64_t>::max())
		return error_set(err, -EINVAL, "%s: %llu iterations (allowed: 1 to 2^63 - 1)", name,
				 static_cast<unsigned long long>(iterations));
	try {
		return time_loop(name, iterations, manual != 0, loop, arg, total_ns, err);
	} catch (const std::bad_alloc &) {
		return error_set(err, -ENOMEM, "%s: out of memory", name);
	} catch (const std::exception &e) {
		return error_set(err, -EIO, "%s: %s", name, e.what());
	} catch (...) {
		return error_set(err, -EIO, "%s: Google Benchmark failed", name);
	}
}

int gb_suite_main(int argc, char **argv, const struct gb_case *cases, unsigned nr_cases)
{
	try {
		return run_suite(argc, argv, cases, nr_cases);
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
	} catch (...) {
		std::fprintf(stderr, "Google Benchmark failed\n");
	}
	return EXIT_TROUBLE;
}

const char *gb_version(void)
{
	return GB_VERSION;
}
