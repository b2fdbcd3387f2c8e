/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h: the members of the JSON summary that each topic adds, and how members are added. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report.h"

struct json_object;

void json_put_number(struct json_object *to, const char *name, u64 value);
void json_put_seconds(struct json_object *to, const char *name, u64 ns);
/* Control bytes are escaped, and so is what is not UTF-8. */
void json_put_string(struct json_object *to, const char *name, struct string s);
/* A new, empty one. */
struct json_object *json_put_object(struct json_object *to, const char *name);

/* All members of one picture's. */
struct operation_sums;
void json_put_left_out(struct json_object *to, const struct operation_sums *of);

/* Of each topic. */
void cpu_json(struct json_object *to, const struct facts *f);
void waits_json(struct json_object *to, const struct facts *f);
void faults_json(struct json_object *to, const struct facts *f);
void brk_json(struct json_object *to, const struct facts *f);
void mmap_json(struct json_object *to, const struct facts *f);
void standing_json(struct json_object *to, const struct facts *f);
/* Not of a topic: where cpu or sched is observed. */
void processes_json(struct json_object *to, const struct facts *f);

#endif
