/* SPDX-License-Identifier: MIT */
/*
 * Text that grows in a buffer of fixed size, as in the kernel's seq_file: what does not fit is cut,
 * and nothing more is added behind a cut. For those who print the kernel's files.
 *
 * Two styles write the same bytes. TEXT_SEQ_PRINTF makes a call of a printf where the kernel's show
 * function does, which is most of what a cheap read costs: text_append_format(). TEXT_FAST makes
 * the digits itself: text_cell_begin(), text_put_digits(), text_cell_end().
 */
#ifndef MEMCGBENCH_MEMCG_TEXT_BUFFER_H
#define MEMCGBENCH_MEMCG_TEXT_BUFFER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 20 /* of UINT64_MAX */
#define NID_MAX    5 /* digits of UINT16_MAX */

/* Longer than " N4294967295=18446744073709551615", and than any row's name with its value. */
#define CELL_MAX 64

struct text {
	char *buffer;
	size_t size;
	size_t length; /* size once something was cut */
};

static inline void text_append(struct text *text, const char *bytes, size_t length)
{
	size_t room = text->size - text->length;

	if (length < room) {
		memcpy(text->buffer + text->length, bytes, length);
		text->length += length;
	} else if (room) {
		memcpy(text->buffer + text->length, bytes, room - 1);
		text->buffer[text->size - 1] = '\0';
		text->length = text->size;
	}
}

static inline void text_append_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void text_append_format(struct text *text, const char *format, ...)
{
	size_t room = text->size - text->length;
	va_list args;
	int length;

	if (!room)
		return;
	va_start(args, format);
	length = vsnprintf(text->buffer + text->length, room, format, args);
	va_end(args);
	text->length = (size_t)length < room ? text->length + (size_t)length : text->size;
}

/* log10 from log2, 1233/4096 being just below log10(2): the guess is right or one too low. */
static inline unsigned text_nr_digits(uint64_t value)
{
	static const uint64_t powers[DIGITS_MAX] = {
		1,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	unsigned guess = (64 - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;

	return guess + (value >= powers[guess] || !value);
}

/* In place from the last digit on, two a step: a division by 100 costs what one by 10 does. */
static inline char *text_put_digits(char *at, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char *end = at + text_nr_digits(value), *digit = end;

	for (; value >= 100; value /= 100) {
		digit -= 2;
		memcpy(digit, &pairs[2 * (value % 100)], 2);
	}
	if (value >= 10)
		memcpy(digit - 2, &pairs[2 * value], 2);
	else
		digit[-1] = (char)('0' + value);
	return end;
}

/* Where a cell can be written: in place where the longest one fits, else `scratch`. */
static inline char *text_cell_begin(struct text *text, char scratch[CELL_MAX])
{
	return text->size - text->length > CELL_MAX ? text->buffer + text->length : scratch;
}

static inline void text_cell_end(struct text *text, const char *scratch, const char *cell,
				 const char *end)
{
	if (cell == scratch)
		text_append(text, cell, (size_t)(end - cell));
	else
		text->length += (size_t)(end - cell);
}

#endif
