# For a test: a machine on which no library is found, as where only zookeeper_st is.
set(CMAKE_FIND_LIBRARY_SUFFIXES .none)
