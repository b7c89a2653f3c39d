#define ZOO_VERSION "3.4.13"
