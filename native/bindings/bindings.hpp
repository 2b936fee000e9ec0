// Parts of the module that have files of their own.
#pragma once

#include <nanobind/nanobind.h>

void add_encoder(nanobind::module_& m);
void add_set_terms(nanobind::module_& m);
