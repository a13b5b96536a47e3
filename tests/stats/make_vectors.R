# SPDX-License-Identifier: MIT
#
# What R says of many samples, for test_vectors.c to hold the program's statistics against:
#
#	Rscript --vanilla make_vectors.R > vectors.json
#
# vectors.json was made by R 4.2.2 and is kept beside this file, so that the tests need no R. Where R
# is installed, test_oracles.py runs this script and compares.
#
# Up to R 4.3, wilcox.test has no exact distribution for tied samples: it is had here by going
# through all choices of n among the pooled ranks.

suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", "Rejection"))
set.seed(20200812)

# JSON: numbers as short as they are exact, infinities as texts, what is not there as null.
number <- function(v) {
	short <- sprintf("%.15g", v)
	exact <- is.na(v) | suppressWarnings(as.numeric(short)) == v
	full <- ifelse(exact, short, sprintf("%.17g", v))
	ifelse(is.na(v), "null", ifelse(is.infinite(v), ifelse(v > 0, "\"inf\"", "\"-inf\""), full))
}
numbers <- function(v) paste0("[", paste(number(v), collapse = ", "), "]")
# Results: as many digits as are compared, and two more.
found <- function(v) number(signif(v, 12))
member <- function(key, value) paste0("\"", key, "\": ", value)
object <- function(...) paste0("{", paste(c(...), collapse = ", "), "}")
section <- function(name, objects)
	paste0("  \"", name, "\": [\n    ", paste(objects, collapse = ",\n    "), "\n  ]")

counted_p <- function(x, y) {
	ranks <- rank(c(x, y))
	n <- length(x)
	u <- colSums(matrix(ranks[combn(length(ranks), n)], nrow = n)) - n * (n + 1) / 2
	seen <- sum(ranks[seq_len(n)]) - n * (n + 1) / 2
	min(1, 2 * min(mean(u <= seen), mean(u >= seen)))
}

rank_case <- function(name, x, y, exact = TRUE) {
	given <- c(member("name", paste0("\"", name, "\"")), member("x", numbers(x)),
		   member("y", numbers(y)))
	# By ranks, so that infinite values take part.
	ranks <- rank(c(x, y))
	rank_x <- ranks[seq_along(x)]
	rank_y <- ranks[length(x) + seq_along(y)]
	tied <- anyDuplicated(ranks) > 0
	test <- tryCatch(suppressWarnings(wilcox.test(rank_x, rank_y, exact = exact && !tied)),
			 error = function(e) NULL)
	if (is.null(test))
		return(object(given, member("error", "true")))
	p <- if (tied && exact) counted_p(x, y) else test$p.value
	object(given, member("u", found(unname(test$statistic))), member("p", found(p)),
	       member("exact", if (exact) "true" else "false"))
}

process_medians <- function(n, level = 700000, sigma = 0.03)
	signif(level * exp(rnorm(n, sd = sigma)), 8)

medians <- list(
	"10 against 10, alike" = list(process_medians(10), process_medians(10)),
	"10 against 10, 5 % more" = list(process_medians(10), process_medians(10, 735000)),
	"10 against 10, apart" = list(process_medians(10), process_medians(10, 1400000)),
	"6 against 6" = list(process_medians(6), process_medians(6, 720000)),
	"1 against 1" = list(700000, 710000),
	"1 against 20" = list(600000, process_medians(20)),
	"1 against 39" = list(process_medians(1, 710000), process_medians(39)),
	"3 against 3" = list(process_medians(3), process_medians(3)),
	"3 against 60, apart" = list(process_medians(3, 900000), process_medians(60)),
	"3 against 60, alike" = list(process_medians(3), process_medians(60)),
	"60 against 3" = list(process_medians(60), process_medians(3, 660000)),
	"5 against 9" = list(process_medians(5), process_medians(9, 720000)),
	"2 against 200" = list(process_medians(2, 650000), process_medians(200)),
	"20 against 25" = list(process_medians(20), process_medians(25, 710000)),
	"50 against 50" = list(process_medians(50), process_medians(50, 705000)),
	"49 against 51, apart" = list(process_medians(49), process_medians(51, 770000)),
	"70 against 75" = list(process_medians(70), process_medians(75, 706000)),
	"huge" = list(c(1e300, 2e300, 2^63, 2^63 + 2048), c(1.7e308, 3e300, 1e301, 2^64, 2^65)),
	"tiny" = list(c(5e-324, 1e-323, 2e-308, 1e-300), c(1.5e-323, 3e-308, 4e-308, 1)))

rounded <- function(n, level, step) round(process_medians(n, level) / step) * step
ties <- list(
	"one tie between the samples" = list(c(1, 2, 3, 4, 5), c(5, 6, 7, 8, 9)),
	"one tie inside a sample" = list(c(1, 2, 2, 4, 5), c(3, 6, 7, 8, 9)),
	"tied at the low end" = list(c(1, 1, 1), c(1, 1, 1, 2, 3, 4, 5)),
	"tied at the high end" = list(c(1, 9, 9, 9), c(9, 9, 9, 2, 3)),
	"two levels" = list(c(1, 1, 1, 2), c(1, 2, 2, 2, 2, 2)),
	"10 against 10, rounded" = list(rounded(10, 700000, 10000), rounded(10, 720000, 10000)),
	"10 against 10, alike and rounded" = list(rounded(10, 7e5, 5000), rounded(10, 7e5, 5000)),
	"10 against 8, coarse" = list(rounded(10, 700000, 40000), rounded(8, 740000, 40000)),
	"3 against 60, rounded" = list(rounded(3, 770000, 10000), rounded(60, 700000, 10000)),
	"60 against 3, rounded" = list(rounded(60, 700000, 10000), rounded(3, 650000, 10000)),
	"1 against 20, tied" = list(700000, rounded(20, 700000, 20000)),
	"all equal" = list(rep(7, 10), rep(7, 10)),
	"two equal values" = list(7, 7),
	"huge and equal" = list(c(2^63, 2^63, 1e300, 1e300), c(2^63, 1e300, 1e300, 1.7e308)))

infinite <- list(
	"infinite values" = list(c(-Inf, 1, 2), c(3, 4, Inf)),
	"several infinite values" = list(c(Inf, 1, Inf, 5), c(Inf, -Inf, 0, -Inf, 2)))

empty <- list("no value on the left" = list(numeric(0), c(1, 2)),
	      "no value on the right" = list(1, numeric(0)))

cases_of <- function(samples, ...)
	mapply(function(name, s) rank_case(name, s[[1]], s[[2]], ...), names(samples), samples)

large <- list("300 against 300, rounded" =
	list(round(rnorm(300, 100, 4)), round(rnorm(300, 101, 4))))

# The interval as wilcox.test makes it; its level, which it does not give, from the same distribution.
# Where even all differences together hold less than is wanted, R warns, and here there is none.
shift_case <- function(name, from, to, wanted) {
	alpha <- 1 - wanted
	n <- length(from)
	m <- length(to)
	rank_of_low <- max(1, qwilcox(alpha / 2, n, m))
	level <- 1 - 2 * pwilcox(rank_of_low - 1, n, m)
	one <- function(scale) {
		differences <- sort(outer(scale(to), scale(from), "-"))
		if (anyDuplicated(c(from, to)) == 0) {
			test <- suppressWarnings(wilcox.test(scale(to), scale(from), exact = TRUE,
							     conf.int = TRUE, conf.level = wanted))
			values <- c(unname(test$estimate), test$conf.int)
		} else { # R would use the normal distribution
			values <- c(median(differences), differences[rank_of_low],
				    rev(differences)[rank_of_low])
		}
		if (level < wanted - 1e-9)
			values[2:3] <- NA
		values
	}
	shift <- one(identity)
	factor <- exp(one(log))
	object(member("name", paste0("\"", name, "\"")), member("from", numbers(from)),
	       member("to", numbers(to)), member("wanted", number(wanted)),
	       member("shift", paste0("[", paste(found(shift), collapse = ", "), "]")),
	       member("factor", paste0("[", paste(found(factor), collapse = ", "), "]")),
	       member("level", if (level < wanted - 1e-9) "null" else found(level)))
}

shifts_of <- function(samples, wanted)
	mapply(function(name, s) shift_case(name, s[[1]], s[[2]], wanted), names(samples), samples)

# Not "tiny": the factor between its ends is more than a double holds.
for_shifts <- c(medians[!names(medians) %in% c("tiny")],
		ties[c("10 against 10, rounded", "3 against 60, rounded", "all equal")])

rates_case <- function(p)
	object(member("p", numbers(p)),
	       member("q", paste0("[", paste(found(p.adjust(p, "BH")), collapse = ", "), "]")))
rates <- lapply(list(0.03, c(0.01, 0.02, 0.03, 0.04, 0.05), c(0.05, 0.05, 0.05),
		     c(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324,
		       0.4262, 0.5719, 0.6528, 0.759, 1),
		     c(0.2, NA, 0.001, 0.04, NA, 1, 1e-300, 0), rep(1, 4),
		     signif(runif(40)^3, 6), signif(c(runif(80), runif(20) / 1000), 6)), rates_case)

quantile_case <- function(v) {
	shares <- c(0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1)
	object(member("v", numbers(v)), member("median", found(median(v))),
	       member("shares", numbers(shares)),
	       member("quantiles", numbers(unname(quantile(v, shares, type = 1)))))
}
quantiles <- lapply(list(7, c(3, 9), 1:10, rep(50, 9), round(runif(101, 0, 255)),
			 round(700000 * exp(rnorm(200, sd = 0.1))), c(1, 2^40, 2^53, 5, 1000)),
		    quantile_case)

# Order statistics k and n + 1 - k, by the binomial distribution.
interval_case <- function(n) {
	v <- process_medians(n)
	k <- qbinom(0.025, n, 0.5)
	s <- sort(v)
	object(member("v", numbers(v)), member("median", found(median(v))),
	       member("low", found(s[k])), member("high", found(s[n + 1 - k])),
	       member("level", found(1 - 2 * pbinom(k - 1, n, 0.5))))
}
intervals <- lapply(c(6:20, 25, 50, 71, 120), interval_case)

critical_case <- function(n, m, alpha)
	object(member("n", n), member("m", m), member("alpha", number(alpha)),
	       member("u", qwilcox(alpha / 2, n, m) - 1))
critical <- c(mapply(critical_case, c(3, 4, 5, 10, 3, 20, 50, 2, 30), c(3, 4, 6, 10, 60, 25, 50, 9, 4),
		     0.05), mapply(critical_case, c(10, 3, 40), c(10, 60, 30), 0.001))

cat("{\n", paste(c(
	paste0("  \"made_by\": \"", R.version.string, "\""),
	section("rank_tests", c(cases_of(medians), cases_of(ties), cases_of(infinite),
				cases_of(empty), cases_of(large, exact = FALSE))),
	section("shifts", c(shifts_of(for_shifts, 0.95), shifts_of(for_shifts[1:8], 0.9))),
	section("false_discovery", rates),
	section("quantiles", quantiles),
	section("median_intervals", intervals),
	section("critical_u", critical)), collapse = ",\n"), "\n}\n", sep = "")
