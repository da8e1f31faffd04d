/*
 * lookback.h: events of a C or C++ program, for `lookback record` and its kin.
 *
 *     LB_EVENT(shop, order_taken, LB_U64(id, order->id), LB_STR(customer, order->name));
 *     DO_TRACE(order_done, "order %d of %s is done", order->id, order->name);
 *     LB_PRINTK("order %d is done", id);
 *     lookback_snapshot("the queue is full");
 *
 * There is nothing to link and nothing to set up. `lookback record -e shop: -- ./program` records the
 * events, and switches them by name. In a program that is not recorded an event is a load and a branch;
 * values are evaluated only where the event is on. Recording makes no system call, takes no lock, allocates
 * nothing, and may be done in a signal handler (LB_PRINTK as far as snprintf may).
 *
 * DO_TRACE(NAME, FORMAT, ARGUMENTS...) is the event NAME of the system ktrace: it is recorded as its
 * arguments are, and shown as printf would. The format is a literal, checked as printf's, of
 * %d %i %u %x %X %o %c %s %p with flags, widths, precisions and lengths; %*ph and %*phN are a dump of so many
 * bytes. At most 16 arguments, none of floating point. A text at a wrong address is shown as (fault). One
 * NAME has one FORMAT in a session: another is refused, and reported. With LOOKBACK_NO_KTRACE defined nothing
 * is left of them but the check.
 *
 * lookback_snapshot keeps what the session's default instance has recorded up to here, and says why; the
 * first 96 bytes of the reason are kept. Nothing happens in a program that is not recorded; where the session
 * has no memory for snapshots, it counts one that was refused.
 *
 * Fields, at most 16; NAME is an identifier:
 *
 *     LB_U8 LB_U16 LB_U32 LB_U64 (NAME, VALUE)              unsigned numbers
 *     LB_I8 LB_I16 LB_I32 LB_I64 (NAME, VALUE)              signed ones
 *     LB_HEX(NAME, VALUE), LB_PTR(NAME, POINTER)            in hexadecimal
 *     LB_BOOL(NAME, VALUE)                                  true or false
 *     LB_STR(NAME, TEXT)                                    text; null is ""
 *     LB_FIXED(NAME, ARRAY)                                 all of an array of unsigned numbers
 *     LB_ARRAY(NAME, POINTER, COUNT)                        so many of them
 *     LB_SYMBOLIC(NAME, VALUE, {1, "one"}, {2, "two"})      a number some of whose values have names
 *     LB_FLAGS(NAME, VALUE, {1, "GIFT"}, {2, "EXPRESS"})    a set of flags
 *
 * An event has 256 bytes, 8 of which are the recorder's; texts and LB_ARRAYs share what the others leave.
 *
 * For GCC and clang, C99 (with the compiler's extensions) and later, C++11 and later, on x86-64 Linux;
 * elsewhere the macros do nothing. In C++ an event can't be in a template or an inline function: call one
 * that is neither.
 *
 * The layouts are those of `abi::site` (crates/abi/src/site.rs), version 1. License: MIT OR Apache-2.0.
 */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#pragma GCC system_header

#if defined(__linux__) && defined(__x86_64__) && !defined(LOOKBACK_OFF)

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LB__VERSION 1
#define LB__FORMAT_VERSION 3
#define LB__ARGUMENTS 16
#define LB__WORDS 32
#define LB__BYTES (LB__WORDS * 8)
#define LB__DYNAMIC 0xffff

enum lookback_kind {
	LB__UNSIGNED, LB__SIGNED, LB__HEXADECIMAL, LB__BOOLEAN, LB__TEXT, LB__SYMBOLS, LB__FLAGBITS
};

struct lookback_name {
	int64_t value;
	const char *name;
};

struct lookback_field {
	const char *name;
	const struct lookback_name *names;
	uint32_t name_count;
	uint16_t count;
	uint8_t size;
	uint8_t kind;
};

struct lookback_payload {
	uint64_t head[8];
	uint64_t words[LB__WORDS];
};

struct lookback_site {
	uint32_t version;
	uint32_t id;
	uint64_t *word;
	void (*write)(const struct lookback_site *, struct lookback_payload *, size_t);
	const char *system;
	const char *name;
	const char *print;
	const struct lookback_field *fields;
	uint32_t field_count;
	uint32_t texts_have_lengths;
};

/* A site with a format of printf; the recorder fills in what follows the site. */
struct lookback_format_site {
	struct lookback_site site;
	uint16_t arguments[LB__ARGUMENTS];
	uint16_t fixed_end;
	uint16_t share;
};

#if defined(__has_attribute)
#if __has_attribute(retain)
#define LB__ENTRY section("lookback_sites"), used, retain
#endif
#endif
#ifndef LB__ENTRY
#define LB__ENTRY section("lookback_sites"), used
#endif
#define LB__INLINE static inline __attribute__((always_inline, unused))

/* The sites of this program or library. One entry is null, so that the section is there. */
extern struct lookback_site *__start_lookback_sites[] __attribute__((visibility("hidden")));
extern struct lookback_site *__stop_lookback_sites[] __attribute__((visibility("hidden")));
static struct lookback_site *lookback_no_site __attribute__((LB__ENTRY)) = 0;

/* Set by the first constructor of this program or library. */
__attribute__((weak, visibility("hidden"))) int lookback_is_registered = 0;

/* The recorder's function that is told of the end, if there is one. */
__attribute__((weak, visibility("hidden"))) void *lookback_unregister_ = 0;

/* The recorder's function that takes a snapshot, if there is one. */
__attribute__((weak, visibility("hidden"))) void (*lookback_take_snapshot_)(const char *, size_t) = 0;

/* That which counts a critical section, which begins or ends. */
__attribute__((weak, visibility("hidden"))) void (*lookback_critical_section_)(int) = 0;

/* Weak: null in a program that is linked statically, and so can't be recorded. */
extern void *lookback_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));

/* Hands the sites to the recorder, if the environment names a session. Before other constructors. */
static void __attribute__((constructor(101), unused))
lookback_register_sites(int count, char **arguments, char **environment)
{
	static const char session[] = "LOOKBACK_SESSION=";
	void (*recorder)(struct lookback_site **, struct lookback_site **);
	void *found = 0;

	(void)count;
	(void)arguments;
	if (lookback_is_registered || !environment || !lookback_dlsym)
		return;
	lookback_is_registered = 1;
	while (*environment && strncmp(*environment, session, sizeof session - 1))
		environment++;
	if (*environment)
		found = lookback_dlsym(0, "lookback_register");
	if (!found)
		return;
	memcpy(&recorder, &found, sizeof recorder);
	recorder(__start_lookback_sites, __stop_lookback_sites);
	lookback_unregister_ = lookback_dlsym(0, "lookback_unregister");
	found = lookback_dlsym(0, "lookback_take_snapshot");
	memcpy(&lookback_take_snapshot_, &found, sizeof found);
	found = lookback_dlsym(0, "lookback_critical_section");
	memcpy(&lookback_critical_section_, &found, sizeof found);
}

/* Says that they are about to go, as in dlclose. After other destructors. */
static void __attribute__((destructor(101), unused)) lookback_unregister_sites(void)
{
	void (*recorder)(struct lookback_site **, struct lookback_site **);
	void *found = lookback_unregister_;

	lookback_unregister_ = 0;
	if (!found)
		return;
	memcpy(&recorder, &found, sizeof recorder);
	recorder(__start_lookback_sites, __stop_lookback_sites);
}

/* Takes a snapshot of what was recorded up to here, for a reason that is shown with it. Async-signal-safe. */
LB__INLINE void lookback_snapshot(const char *reason)
{
	if (__builtin_expect(lookback_take_snapshot_ != 0, 0))
		lookback_take_snapshot_(reason, reason ? strlen(reason) : 0);
}

/* Says that the calling thread is in a critical section, until it leaves it: as with a lock held.
   Async-signal-safe. */
LB__INLINE void lookback_enter_critical_section(void)
{
	if (__builtin_expect(lookback_critical_section_ != 0, 0))
		lookback_critical_section_(1);
}

LB__INLINE void lookback_leave_critical_section(void)
{
	if (__builtin_expect(lookback_critical_section_ != 0, 0))
		lookback_critical_section_(0);
}

LB__INLINE int lookback_is_enabled(const struct lookback_site *site)
{
	uint64_t *word = __atomic_load_n(&site->word, __ATOMIC_ACQUIRE);

	return __builtin_expect(word && __atomic_load_n(word, __ATOMIC_RELAXED), 0);
}

/* An event that is being built: first the fixed part of all fields, then what lies after it. */
struct lookback_record {
	struct lookback_payload payload;
	size_t len;
	size_t next;
	size_t share;
};

LB__INLINE size_t lookback_aligned(size_t offset, size_t size)
{
	return (offset + size - 1) / size * size;
}

LB__INLINE void
lookback_begin(struct lookback_record *record, const struct lookback_field *fields, size_t count)
{
	size_t end = 8, dynamic = 0, at;

	for (at = 0; at < count; at++) {
		size_t size = fields[at].count == LB__DYNAMIC ? 4 : fields[at].size;
		size_t elements = fields[at].count == LB__DYNAMIC || !fields[at].count ? 1 : fields[at].count;

		end = lookback_aligned(end, size) + size * elements;
		dynamic += fields[at].count == LB__DYNAMIC;
	}
	record->len = 8;
	record->next = lookback_aligned(end, 8);
	record->share = 0;
	if (dynamic && record->next < LB__BYTES)
		record->share = (LB__BYTES - record->next) / dynamic & ~(size_t)7;
}

/* Bytes after the last are zeros, up to the end of the word. What does not fit is left out. */
LB__INLINE void lookback_put(struct lookback_record *record, const void *bytes, size_t len, size_t align)
{
	size_t at = lookback_aligned(record->len, align), word;

	if (at + len > LB__BYTES)
		return;
	for (word = lookback_aligned(at, 8) / 8; word * 8 < at + len; word++)
		record->payload.words[word] = 0;
	memcpy((char *)record->payload.words + at, bytes, len);
	record->len = at + len;
}

LB__INLINE void lookback_place(struct lookback_record *record, size_t len)
{
	uint32_t location = (uint32_t)len << 16 | (uint32_t)record->next;

	lookback_put(record, &location, sizeof location, sizeof location);
	record->next += lookback_aligned(len, 8);
}

LB__INLINE size_t lookback_space(const struct lookback_record *record, size_t len, size_t size)
{
	return len <= record->share ? len : record->share / size * size;
}

LB__INLINE void lookback_put_text(struct lookback_record *record, const char *text, size_t len)
{
	if (!len)
		return;
	lookback_put(record, text, len - 1, 8);
	lookback_put(record, "", 1, len > 1 ? 1 : 8);
}

LB__INLINE void lookback_end(const struct lookback_site *site, struct lookback_record *record)
{
	site->write(site, &record->payload, record->len);
}

/* Fields: the operations for each, by its kind. */
#define LB_U8(name, value) (NUMBER, name, uint8_t, LB__UNSIGNED, value)
#define LB_U16(name, value) (NUMBER, name, uint16_t, LB__UNSIGNED, value)
#define LB_U32(name, value) (NUMBER, name, uint32_t, LB__UNSIGNED, value)
#define LB_U64(name, value) (NUMBER, name, uint64_t, LB__UNSIGNED, value)
#define LB_I8(name, value) (NUMBER, name, int8_t, LB__SIGNED, value)
#define LB_I16(name, value) (NUMBER, name, int16_t, LB__SIGNED, value)
#define LB_I32(name, value) (NUMBER, name, int32_t, LB__SIGNED, value)
#define LB_I64(name, value) (NUMBER, name, int64_t, LB__SIGNED, value)
#define LB_HEX(name, value) (NUMBER, name, uint64_t, LB__HEXADECIMAL, value)
#define LB_PTR(name, pointer) (NUMBER, name, uint64_t, LB__HEXADECIMAL, (uintptr_t)(pointer))
#define LB_BOOL(name, value) (NUMBER, name, uint8_t, LB__BOOLEAN, (value) ? 1 : 0)
#define LB_STR(name, text) (STRING, name, text)
#define LB_FIXED(name, array) (FIXED, name, array)
#define LB_ARRAY(name, pointer, count) (ARRAY, name, pointer, count)
#define LB_SYMBOLIC(name, value, ...) (NAMED, name, LB__SYMBOLS, value, __VA_ARGS__)
#define LB_FLAGS(name, value, ...) (NAMED, name, LB__FLAGBITS, value, __VA_ARGS__)

/* Tables of names. */
#define LB__NAMES(field) LB__NAMES_I field
#define LB__NAMES_I(of, ...) LB__NAMES_##of(__VA_ARGS__)
#define LB__NAMES_NUMBER(...)
#define LB__NAMES_STRING(...)
#define LB__NAMES_FIXED(...)
#define LB__NAMES_ARRAY(...)
#define LB__NAMES_NAMED(name, kind, value, ...) \
	static const struct lookback_name lookback_names_##name[] = {__VA_ARGS__};

/* Descriptions. */
#define LB__FIELD(field) LB__FIELD_I field
#define LB__FIELD_I(of, ...) LB__FIELD_##of(__VA_ARGS__)
#define LB__FIELD_NUMBER(name, type, kind, value) {#name, 0, 0, 0, sizeof(type), kind},
#define LB__FIELD_STRING(name, text) {#name, 0, 0, LB__DYNAMIC, 1, LB__TEXT},
#define LB__FIELD_FIXED(name, array) \
	{#name, 0, 0, sizeof(array) / sizeof(*(array)), sizeof(*(array)), LB__UNSIGNED},
#define LB__FIELD_ARRAY(name, pointer, count) {#name, 0, 0, LB__DYNAMIC, sizeof(*(pointer)), LB__UNSIGNED},
#define LB__FIELD_NAMED(name, kind, value, ...) \
	{#name, lookback_names_##name, sizeof lookback_names_##name / sizeof *lookback_names_##name, 0, 8, kind},

/* The values, each evaluated once, and the fixed part. */
#define LB__FIX(field) LB__FIX_I field
#define LB__FIX_I(of, ...) LB__FIX_##of(__VA_ARGS__)
#define LB__FIX_NUMBER(name, type, kind, value) \
	const type lookback_value_##name = (type)(value); \
	lookback_put(&lookback_record, &lookback_value_##name, sizeof(type), sizeof(type));
#define LB__FIX_STRING(name, text) \
	const char *const lookback_text_##name = (text); \
	const char *const lookback_value_##name = lookback_text_##name ? lookback_text_##name : ""; \
	const size_t lookback_len_##name = lookback_space(&lookback_record, strlen(lookback_value_##name) + 1, 1); \
	lookback_place(&lookback_record, lookback_len_##name);
#define LB__FIX_FIXED(name, array) \
	lookback_put(&lookback_record, (array), sizeof(array), sizeof(*(array)));
#define LB__FIX_ARRAY(name, pointer, count) \
	const void *const lookback_value_##name = (pointer); \
	const size_t lookback_len_##name = \
		lookback_space(&lookback_record, (count) * sizeof(*(pointer)), sizeof(*(pointer))); \
	lookback_place(&lookback_record, lookback_len_##name);
#define LB__FIX_NAMED(name, kind, value, ...) \
	const int64_t lookback_value_##name = (int64_t)(value); \
	lookback_put(&lookback_record, &lookback_value_##name, 8, 8);

/* What lies after it. */
#define LB__APPEND(field) LB__APPEND_I field
#define LB__APPEND_I(of, ...) LB__APPEND_##of(__VA_ARGS__)
#define LB__APPEND_NUMBER(...)
#define LB__APPEND_STRING(name, text) \
	lookback_put_text(&lookback_record, lookback_value_##name, lookback_len_##name);
#define LB__APPEND_FIXED(...)
#define LB__APPEND_ARRAY(name, pointer, count) \
	lookback_put(&lookback_record, lookback_value_##name, lookback_len_##name, 8);
#define LB__APPEND_NAMED(...)

/* LB__EACH(m, a, b) is m(a) m(b). */
#define LB__EACH(m, ...) LB__JOIN(LB__EACH_, LB__COUNT(0, ##__VA_ARGS__))(m, ##__VA_ARGS__)
#define LB__JOIN(a, b) LB__JOIN_I(a, b)
#define LB__JOIN_I(a, b) a##b
#define LB__COUNT(...) LB__COUNT_I(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define LB__COUNT_I(z, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, count, ...) count
#define LB__EACH_0(m)
#define LB__EACH_1(m, a) m(a)
#define LB__EACH_2(m, a, ...) m(a) LB__EACH_1(m, __VA_ARGS__)
#define LB__EACH_3(m, a, ...) m(a) LB__EACH_2(m, __VA_ARGS__)
#define LB__EACH_4(m, a, ...) m(a) LB__EACH_3(m, __VA_ARGS__)
#define LB__EACH_5(m, a, ...) m(a) LB__EACH_4(m, __VA_ARGS__)
#define LB__EACH_6(m, a, ...) m(a) LB__EACH_5(m, __VA_ARGS__)
#define LB__EACH_7(m, a, ...) m(a) LB__EACH_6(m, __VA_ARGS__)
#define LB__EACH_8(m, a, ...) m(a) LB__EACH_7(m, __VA_ARGS__)
#define LB__EACH_9(m, a, ...) m(a) LB__EACH_8(m, __VA_ARGS__)
#define LB__EACH_10(m, a, ...) m(a) LB__EACH_9(m, __VA_ARGS__)
#define LB__EACH_11(m, a, ...) m(a) LB__EACH_10(m, __VA_ARGS__)
#define LB__EACH_12(m, a, ...) m(a) LB__EACH_11(m, __VA_ARGS__)
#define LB__EACH_13(m, a, ...) m(a) LB__EACH_12(m, __VA_ARGS__)
#define LB__EACH_14(m, a, ...) m(a) LB__EACH_13(m, __VA_ARGS__)
#define LB__EACH_15(m, a, ...) m(a) LB__EACH_14(m, __VA_ARGS__)
#define LB__EACH_16(m, a, ...) m(a) LB__EACH_15(m, __VA_ARGS__)
#define LB__EACH_17(m, a, ...) m(a) LB__EACH_16(m, __VA_ARGS__)

/* Records the event `event` of the system `of` with these fields, if it is on. */
#define LB_EVENT(of, event, ...) \
	do { \
		LB__EACH(LB__NAMES, ##__VA_ARGS__) \
		static const struct lookback_field lookback_fields[] = { \
			LB__EACH(LB__FIELD, ##__VA_ARGS__) {0, 0, 0, 0, 0, 0}}; \
		enum { lookback_count = sizeof lookback_fields / sizeof *lookback_fields - 1 }; \
		static struct lookback_site lookback_site = { \
			LB__VERSION, 0, 0, 0, #of, #event, 0, lookback_fields, lookback_count, 0}; \
		static struct lookback_site *lookback_entry __attribute__((LB__ENTRY)) = &lookback_site; \
		if (lookback_is_enabled(&lookback_site)) { \
			struct lookback_record lookback_record; \
			lookback_begin(&lookback_record, lookback_fields, lookback_count); \
			LB__EACH(LB__FIX, ##__VA_ARGS__) \
			LB__EACH(LB__APPEND, ##__VA_ARGS__) \
			lookback_end(&lookback_site, &lookback_record); \
		} \
	} while (0)

/* Messages: the kernel's event ftrace:print. */
static struct lookback_site lookback_messages __attribute__((unused)) = {
	LB__VERSION, 0, 0, 0, "ftrace", "print", 0, 0, 0, 0};
static struct lookback_site *lookback_messages_entry __attribute__((LB__ENTRY)) = &lookback_messages;

static void __attribute__((noinline, unused, format(printf, 1, 2))) lookback_printk(const char *format, ...)
{
	/* An address in the call, not after it. */
	uint64_t address = (uintptr_t)__builtin_return_address(0) - 1;
	char text[LB__BYTES - 16];
	struct lookback_record record;
	va_list arguments;
	int len;

	va_start(arguments, format);
	len = vsnprintf(text, sizeof text - 1, format, arguments);
	va_end(arguments);
	if (len < 0)
		return;
	if ((size_t)len > sizeof text - 2)
		len = sizeof text - 2;
	text[len] = '\n';
	text[len + 1] = 0;
	lookback_begin(&record, 0, 0);
	lookback_put(&record, &address, 8, 8);
	lookback_put(&record, text, len + 2, 8);
	lookback_end(&lookback_messages, &record);
}

/* Records a message as printf makes it, if messages are on: an event ftrace:print. 238 bytes are kept. */
#define LB_PRINTK(...) \
	do { \
		if (lookback_is_enabled(&lookback_messages)) \
			lookback_printk(__VA_ARGS__); \
	} while (0)

/* Tracepoints with a format: their recorder's function takes a word for each argument, and no payload. */
typedef void (*lookback_write_words)(const struct lookback_site *, const uint64_t *);

LB__INLINE void lookback_trace(const struct lookback_site *site, const uint64_t *words)
{
	((lookback_write_words)(void (*)(void))site->write)(site, words);
}

/* Whether a value is a floating-point number: events have no fields for those. */
#ifdef __cplusplus
extern "C++" {
template <typename T> struct lookback_type { enum { is_floating = 0 }; };
template <typename T> struct lookback_type<const T> : lookback_type<T> {};
template <typename T> struct lookback_type<volatile T> : lookback_type<T> {};
template <> struct lookback_type<float> { enum { is_floating = 1 }; };
template <> struct lookback_type<double> { enum { is_floating = 1 }; };
template <> struct lookback_type<long double> { enum { is_floating = 1 }; };
}
#define LB__CHECK(value) \
	static_assert(!lookback_type<__typeof__(value)>::is_floating, "DO_TRACE has no floating-point arguments");
#else
#define LB__CHECK(value) \
	_Static_assert(__builtin_classify_type(value) != 8, "DO_TRACE has no floating-point arguments");
#endif
#define LB__WORD(value) (uint64_t)(value),
#define LB__FIRST(first, ...) first
/* Those of all but the first, with a 0 after them, as there may be none. */
#define LB__WORDS(first, ...) LB__EACH(LB__WORD, __VA_ARGS__)

/* The format is handled as if it were the first of the arguments: a macro has to have some. */
#define LB__TRACE(event, ...) \
	do { \
		static struct lookback_format_site lookback_site = { \
			{LB__FORMAT_VERSION, 0, 0, 0, "ktrace", #event, LB__FIRST(__VA_ARGS__, 0), 0, \
			LB__COUNT(0, __VA_ARGS__) - 1, 0}, {0}, 0, 0}; \
		static struct lookback_site *lookback_entry __attribute__((LB__ENTRY)) = &lookback_site.site; \
		LB__CHECK_FORMAT(__VA_ARGS__) \
		LB__EACH(LB__CHECK, __VA_ARGS__) \
		if (lookback_is_enabled(&lookback_site.site)) { \
			const uint64_t lookback_words[] = {LB__WORDS(__VA_ARGS__, 0)}; \
			lookback_trace(&lookback_site.site, lookback_words); \
		} \
	} while (0)

#else

#define LB_EVENT(...) do { } while (0)
#define LB_PRINTK(...) do { } while (0)
static inline void lookback_snapshot(const char *reason)
{
	(void)reason;
}
#define LB__NO_TRACE

#endif

static inline void __attribute__((unused, format(printf, 1, 2)))
lookback_check_format(const char *format, ...)
{
	(void)format;
}

#define LB__CHECK_FORMAT(...) \
	if (0) \
		lookback_check_format(__VA_ARGS__);

/* Records the event `event` of the system ktrace with these arguments, if it is on. */
#if defined(LOOKBACK_NO_KTRACE) || defined(LB__NO_TRACE)
#define DO_TRACE(event, ...) do { LB__CHECK_FORMAT(__VA_ARGS__) } while (0)
#else
#define DO_TRACE(event, ...) LB__TRACE(event, __VA_ARGS__)
#endif

/* What the arguments of a tracepoint are, where programs say so: nothing needs it. */
#define DEFINE_KTRACE_STRUCT(name) struct __attribute__((packed)) ktrace_struct_##name

#endif
