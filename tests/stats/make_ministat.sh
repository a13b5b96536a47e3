#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What ministat says of each pair of the data sets in ministat/, for test_ministat.c to hold the
# program's statistics against:
#
#	./make_ministat.sh > ministat.txt
#
# ministat.txt was made by Debian's ministat 20150715-1+b1 and is kept beside this file. Where ministat
# is installed, test_oracles.py runs this script and compares.
set -eu
cd "$(dirname "$0")/ministat"
set -- before again slower faster few rounded
while [ $# -gt 1 ]; do
	first=$1
	shift
	for second; do
		ministat -A -c 95 "$first" "$second"
	done
done
