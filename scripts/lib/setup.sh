# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What scripts/bench and scripts/test share: messages, steps with their time, missing packages, builds.
# Sourced, from the top of the project. Everything said here goes to stderr.

say() {
    printf '%s\n' "$*" >&2
}

# Trouble: say it and end with exit code 2, as the program does.
die() {
    say "${0##*/}: $*"
    exit 2
}

# One directory for logs and such; the caller's EXIT trap may not replace this one.
scratch=$(mktemp -d) || exit 2
mkfifo "$scratch/stop" && exec 9<>"$scratch/stop" || exit 2 # what ends the sign of life of a step
heart=
stop_heart() {
    [ -n "$heart" ] || return
    echo >&9 # and not a signal: that could hit the subshell while it still is a copy of this one
    wait "$heart" 2>/dev/null
    heart=
}
clean_up() {
    stop_heart
    rm -rf "$scratch"
}
trap clean_up EXIT

# end_like STATUS: end as a command did that ended with it: by the same signal, if it was one.
end_like() {
    trap - INT TERM HUP
    case $1 in
    129 | 130 | 143) kill -"$(($1 - 128))" $$ ;;
    esac
    exit "$1"
}

# Ctrl-C ends the whole, also where the command that it reached ends as if nothing had been.
default_traps() {
    trap 'end_like 129' HUP
    trap 'end_like 130' INT
    trap 'end_like 143' TERM
}
default_traps

# step DESCRIPTION COMMAND...: run quietly and say how long it took. Every 10 seconds a line shows that
# it is alive and what it last said. The command runs in the foreground, so that Ctrl-C reaches it.
step() {
    local description=$1 start=$SECONDS log=$scratch/log rc=0
    shift
    say "$description ..."
    : >"$log"
    {
        while ! read -r -t 10 -u 9; do
            say "$description: $((SECONDS - start)) s: $(tail -c 4096 "$log" | tr '\r' '\n' | grep . | tail -n 1 | cut -c1-80)"
        done
    } </dev/null &
    heart=$!
    "$@" >"$log" 2>&1 </dev/null 9>&- || rc=$?
    stop_heart
    if [ "$rc" -ne 0 ]; then
        say "$description: failed with exit code $rc after $((SECONDS - start)) s. It said last:"
        tail -n 40 "$log" >&2
        return "$rc"
    fi
    say "$description: done in $((SECONDS - start)) s"
}

# packages_of GROUP...: their packages, from scripts/packages.
packages_of() {
    local group
    for group in "$@"; do
        sed -n "s/^$group: *//p" scripts/packages
    done | tr ' ' '\n' | sort -u
}

# missing_of GROUP...: those that are not installed. Never asks apt, so it works offline.
missing_of() {
    local wanted
    wanted=$(packages_of "$@")
    # shellcheck disable=SC2086 # a list of words; dpkg-query fails for unknown ones and lists the rest
    dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
        sed -n 's/^installed //p' | sort -u | comm -23 <(printf '%s\n' "$wanted") -
}

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
        apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@"
}

# need_packages INSTALL GROUP...: install what is missing, or (INSTALL=no) say what is and end.
need_packages() {
    local install=$1 missing groups
    shift
    groups=("$@")
    case ${CC:-} in *clang*) groups+=(clang) ;; esac
    if ! command -v dpkg-query >/dev/null; then
        say "no dpkg here: taking the packages for ${groups[*]} (scripts/packages) to be installed"
        return
    fi
    missing=$(missing_of "${groups[@]}" | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0

    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    local by_hand="${as_root[*]:+sudo }apt-get install --no-install-recommends $missing"
    if [ "$install" = no ]; then
        die "packages are missing; install them with
    $by_hand"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "packages are missing, and without root or sudo they cannot be installed; as root, call
    $by_hand"
        # Ask for the password now, where it is seen, and not in the middle of a quiet step.
        sudo true || die "sudo refused; as root, call
    apt-get install --no-install-recommends $missing"
    fi
    say "missing packages: $missing"
    step "updating apt's lists" apt update || die "apt-get update failed; what is missing: $missing"
    # shellcheck disable=SC2086 # a list of words
    step "installing packages" apt install --no-install-recommends $missing ||
        die "apt-get install failed; try it by hand:
    $by_hand"
}

# build_in DIRECTORY MESON_OPTIONS... -- TARGETS...: set up where that was not done, then build what is
# not up to date.
build_in() {
    local directory=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    if [ ! -e "$directory/build.ninja" ]; then
        step "setting up $directory" meson setup "$directory" "${options[@]}" || exit 2
    fi
    step "building in $directory" ninja -C "$directory" "$@" || exit 2
}

# supervise COMMAND...: run it in the foreground's stead and pass signals on, so that a sweep ends in
# its own way whether the terminal or a service manager asks for it. Sets $status, and $stopped to the
# status that a signal stands for, if one came.
#
# The command gets a process group of its own (set -m): the terminal's Ctrl-C then comes once, from
# here, and not twice.
supervise() {
    local child='' again=yes
    stopped=
    trap 'again=yes stopped=129; pass_on HUP' HUP
    trap 'again=yes stopped=130; pass_on INT' INT
    trap 'again=yes stopped=143; pass_on TERM' TERM
    set -m
    "$@" </dev/null 9>&- &
    child=$!
    set +m
    [ -z "$stopped" ] || kill -"$((stopped - 128))" "$child" # it came before there was a child
    while [ -n "$again" ]; do # a signal ends only the waiting
        again=
        status=0
        wait "$child" || status=$?
    done
    default_traps
}

# For supervise: its child is visible here.
pass_on() {
    [ -z "$child" ] || kill -"$1" "$child" 2>/dev/null
}
