// SPDX-License-Identifier: MIT
/*
 * See build.h. The only file that includes the generated build_id.h: a new commit compiles this
 * file again and no other.
 */
#include "base/build.h"

#include "base/build_id.h"
#include "config.h"

const char *build_version(void)
{
	return VERSION;
}

const char *build_id(void)
{
	return BUILD_ID;
}

const char *build_compiler(void)
{
	return BUILD_COMPILER;
}

const char *build_flags(void)
{
	return BUILD_FLAGS;
}
