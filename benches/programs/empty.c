/* A shared object with nothing in it: what any object costs that is preloaded. */
