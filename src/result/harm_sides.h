/* SPDX-License-Identifier: MIT */
/* How harm to others is cut up, in a process (driver/harm.h) and in its summary. */
#ifndef MEMCGBENCH_RESULT_HARM_SIDES_H
#define MEMCGBENCH_RESULT_HARM_SIDES_H

enum harm_side {
	HARM_WITHOUT, /* reads */
	HARM_WITH,
	NR_HARM_SIDES
};

/* Tasks by where they run: a CPU that no reader has, or one that a reader has, too. */
enum harm_place {
	HARM_APART,
	HARM_BESIDE,
	NR_HARM_PLACES
};

#endif
