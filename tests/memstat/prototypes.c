/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks what FreeBSD programs rely on: the type of each function, the value of each constant, and
 * that two headers suffice. Compiled as C and as C++, and linked with the library.
 */
#include <sys/types.h>
#include <memstat.h>

typedef const struct memory_type *type_in;
typedef uint64_t getter(type_in);
typedef uint64_t percpu_getter(type_in, int);
typedef int sysctl_query(struct memory_type_list *, int);
typedef int kvm_query(struct memory_type_list *, void *);

getter *getters[] = {
	memstat_get_countlimit, memstat_get_byteslimit, memstat_get_sizemask, memstat_get_size,
	memstat_get_rsize,	memstat_get_memalloced, memstat_get_memfreed, memstat_get_numallocs,
	memstat_get_numfrees,	memstat_get_bytes,	memstat_get_count,    memstat_get_free,
	memstat_get_failures,	memstat_get_sleeps,	memstat_get_xdomain,  memstat_get_zonefree,
	memstat_get_kegfree,
};

percpu_getter *percpu_getters[] = {
	memstat_get_percpu_memalloced, memstat_get_percpu_memfreed, memstat_get_percpu_numallocs,
	memstat_get_percpu_numfrees,   memstat_get_percpu_sizemask, memstat_get_percpu_free,
};

sysctl_query *sysctl_queries[] = {
	memstat_sysctl_all,
	memstat_sysctl_malloc,
	memstat_sysctl_uma,
};

kvm_query *kvm_queries[] = {
	memstat_kvm_all,
	memstat_kvm_malloc,
	memstat_kvm_uma,
};

struct memory_type_list *(*mtl_alloc)(void) = memstat_mtl_alloc;
struct memory_type *(*mtl_first)(struct memory_type_list *) = memstat_mtl_first;
struct memory_type *(*mtl_next)(struct memory_type *) = memstat_mtl_next;
struct memory_type *(*mtl_find)(struct memory_type_list *, int, const char *) = memstat_mtl_find;
void (*mtl_free)(struct memory_type_list *) = memstat_mtl_free;
int (*mtl_geterror)(struct memory_type_list *) = memstat_mtl_geterror;
const char *(*strerror_of)(int) = memstat_strerror;

/* and two functions that FreeBSD's library does not have */
uint64_t (*mtl_begin)(const struct memory_type_list *) = memstat_mtl_begin;
size_t (*mtl_cpus)(const struct memory_type_list *) = memstat_mtl_cpus;

const char *(*get_name)(type_in) = memstat_get_name;
int (*get_allocator)(type_in) = memstat_get_allocator;
void *(*get_pointer)(type_in, int) = memstat_get_caller_pointer;
void (*set_pointer)(struct memory_type *, int, void *) = memstat_set_caller_pointer;
uint64_t (*get_uint64)(type_in, int) = memstat_get_caller_uint64;
void (*set_uint64)(struct memory_type *, int, uint64_t) = memstat_set_caller_uint64;
void *(*get_percpu_pointer)(type_in, int, int) = memstat_get_percpu_caller_pointer;
void (*set_percpu_pointer)(struct memory_type *, int, int,
			   void *) = memstat_set_percpu_caller_pointer;
uint64_t (*get_percpu_uint64)(type_in, int, int) = memstat_get_percpu_caller_uint64;
void (*set_percpu_uint64)(struct memory_type *, int, int,
			  uint64_t) = memstat_set_percpu_caller_uint64;

size_t (*zone_get_count)(void) = memstat_malloc_zone_get_count;
size_t (*zone_get_size)(size_t) = memstat_malloc_zone_get_size;
int (*zone_used)(type_in, size_t) = memstat_malloc_zone_used;

#define IS(name, value) typedef char name##_is[(name) == (value) ? 1 : -1]

IS(ALLOCATOR_UNKNOWN, 0);
IS(ALLOCATOR_MALLOC, 1);
IS(ALLOCATOR_UMA, 2);
IS(ALLOCATOR_ANY, 255);
IS(MEMSTAT_MAXCALLER, 16);
IS(MEMTYPE_MAXNAME, 32);
IS(MEMSTAT_MAXCPU, 8192); /* in older headers only, with other values */
IS(MEMSTAT_ERROR_UNDEFINED, 0);
IS(MEMSTAT_ERROR_NOMEMORY, 1);
IS(MEMSTAT_ERROR_VERSION, 2);
IS(MEMSTAT_ERROR_PERMISSION, 3);
IS(MEMSTAT_ERROR_TOOMANYCPUS, 4);
IS(MEMSTAT_ERROR_DATAERROR, 5);
IS(MEMSTAT_ERROR_KVM, 6);
IS(MEMSTAT_ERROR_KVM_NOSYMBOL, 7);
IS(MEMSTAT_ERROR_KVM_SHORTREAD, 8);

int main(void)
{
	struct memory_type_list *list = mtl_alloc();

	if (!list || mtl_geterror(list) != MEMSTAT_ERROR_UNDEFINED)
		return 1;
	mtl_free(list);
	return 0;
}
