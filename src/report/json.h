/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h: the members of the JSON summary that each topic adds. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report.h"

struct json_object;

void cpu_json(struct json_object *to, const struct facts *f);
void waits_json(struct json_object *to, const struct facts *f);
void faults_json(struct json_object *to, const struct facts *f);
void brk_json(struct json_object *to, const struct facts *f);
void mmap_json(struct json_object *to, const struct facts *f);
void standing_json(struct json_object *to, const struct facts *f);

#endif
