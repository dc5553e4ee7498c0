// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The entry of the fuzzer's program: hands over to the toolchain's libFuzzer.
#ifndef CFuzzer_h
#define CFuzzer_h

int fuzzer_main(int argc, char **argv);

#endif
