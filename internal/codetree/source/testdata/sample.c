/* The shop in C. */
#include <stdio.h>
#include "till.h"
#define LIMIT 10
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

struct shop;

/* One thing. */
struct thing {
	const char *name;
	int (*sell)(struct thing *);
};

typedef struct { int x; } point_t;
typedef int (*callback)(void *, int);
enum size { SMALL, LARGE };

int sell(struct thing *t, int n);
extern int errno_of(void);

static const struct ops table[] = { { .open = open_it }, };

/* Opens it. */
static inline int
open_it(struct thing *t, char c)
{
#ifdef A
	if (t) {
#else
	if (!t) {
#endif
		return sell(t, '{');
	}
	printf("} not a brace %d\n", MAX(1, 2));
	return helper();
}

#if 0
int hidden(void) {
#endif

char **names(int (*f)(int), ...) { return f(1); }
MODULE_LICENSE("x");
int main(void) { return open_it(0, 'x'); }
