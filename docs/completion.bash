# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion for memcgbench in bash. Commands, options and back ends are asked of the program itself,
# so that this file cannot be behind it.

_memcgbench_commands() {
    "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# The options of a command as its --help lists them, "--name" or "--name=" where a value follows.
_memcgbench_options() {
    "$1" "$2" --help 2>/dev/null |
        sed -n 's/^\(  -., \|      \)\(--[a-z][a-z-]*=\{0,1\}\).*/\2/p'
}

# The formats that are named where its --help speaks of --format.
_memcgbench_formats() {
    "$1" "$2" --help 2>/dev/null | sed -n '/--format=/,/^ \{2,6\}-/p' |
        grep -owE 'gb-json|otava-csv|csv|hgrm|table|json|tsv|svg|png|markdown|cover' | sort -u
}

# The last item of a comma-separated list, with what stands before it kept.
_memcgbench_list() {
    local current=$1 head=
    shift
    [[ $current == *,* ]] && head=${current%,*},
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$*" -- "${current##*,}")
    compopt -o nospace 2>/dev/null
}

# File names, kept whole where they hold blanks; directories are entered.
_memcgbench_files() {
    mapfile -t COMPREPLY < <(compgen "$@")
    compopt -o filenames 2>/dev/null
}

# Scenario files, and directories to find more in; at the top of the project also what scenarios/ holds.
_memcgbench_scenarios() {
    mapfile -t COMPREPLY < <(
        compgen -f -X '!*.yaml' -- "$1"
        compgen -d -- "$1"
        [[ -z $1 && -d scenarios ]] && compgen -f -X '!*.yaml' -- scenarios/
    )
    compopt -o filenames 2>/dev/null
}

_memcgbench() {
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} option=

    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(
            compgen -W "$(_memcgbench_commands "$program") --help --version" -- "$current"
        )
        return
    fi

    # bash splits "--name=value" into three words; "--name value" is two.
    if [[ $current == = ]]; then
        option=$previous current=
    elif [[ $previous == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $previous == -* ]]; then
        option=$previous
    fi

    case $option in
    --backend | -b)
        _memcgbench_list "$current" "$("$program" backends --format tsv 2>/dev/null | cut -f 1 | sed 1d)"
        return
        ;;
    --format | -f)
        _memcgbench_list "$current" "$(_memcgbench_formats "$program" "$command")"
        return
        ;;
    --out | -o)
        if [[ $command == report ]]; then
            _memcgbench_files -f -- "$current"
        else
            _memcgbench_files -d -- "$current"
        fi
        return
        ;;
    --charts | --scripts | --store | --history)
        _memcgbench_files -d -- "$current"
        return
        ;;
    --topology | --dir-file | -t)
        _memcgbench_files -f -- "$current"
        return
        ;;
    --set | --repetitions | --seed | --label | --time-limit | --alpha | --min-effect | --since | --interval | --agents | --memcgs | -s | -r | -i | -a)
        return
        ;;
    --add)
        _memcgbench_files -f -- "$current"
        return
        ;;
    --metric | -m)
        [[ $command == compare || $command == history || $command == aa ]] && mapfile -t COMPREPLY < <(
            compgen -W "$("$program" "$command" --metric=? . . 2>&1 | sed -n "1s/.*known (\(.*\)).*/\1/p" | tr -d ,)" -- "$current"
        )
        return
        ;;
    --type)
        mapfile -t COMPREPLY < <(
            compgen -W "v1-numa_stat v2-numa_stat v1-memory.stat v2-memory.stat" -- "$current"
        )
        return
        ;;
    esac

    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_memcgbench_options "$program" "$command")" -- "$current")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
        return
    fi
    case $command in
    run | plan | check | aa) _memcgbench_scenarios "$current" ;;
    report | export | history | fleet) _memcgbench_files -d -- "$current" ;;
    compare) _memcgbench_files -f -- "$current" ;;
    parse) _memcgbench_files -f -- "$current" ;;
    esac
}
complete -F _memcgbench memcgbench
