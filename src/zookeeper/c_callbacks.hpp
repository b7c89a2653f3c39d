#pragma once

struct ACL_vector;
struct _zhandle;
struct Stat;
struct String_vector;

/// What the C client calls: one function for each kind of request, and one for each kind of watch. Each finds its
/// connection by its context's number, and does nothing if there is none any more.
///
/// They run on the handle's completion thread.
namespace zklock::client {

void on_session_event(_zhandle* handle, int type, int state, const char* path, void* context) noexcept;
void on_node_watch(_zhandle* handle, int type, int state, const char* path, void* context) noexcept;

void on_create_reply(int rc, const char* name, const Stat* stat, const void* context) noexcept;
void on_list_reply(int rc, const String_vector* names, const Stat* stat, const void* context) noexcept;
void on_get_reply(int rc, const char* data, int size, const Stat* stat, const void* context) noexcept;
void on_stat_reply(int rc, const Stat* stat, const void* context) noexcept;  // exists, set
void on_remove_reply(int rc, const void* context) noexcept;
void on_sync_reply(int rc, const char* path, const void* context) noexcept;
void on_acl_reply(int rc, ACL_vector* entries, Stat* stat, const void* context) noexcept;
void on_multi_reply(int rc, const void* context) noexcept;

}  // namespace zklock::client
