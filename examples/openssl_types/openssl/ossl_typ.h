/* What zookeeper.h names of OpenSSL, so that the example compiles where libssl-dev is not installed. */
typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
