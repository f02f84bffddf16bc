// Included before Asio: g++ warns that ThreadSanitizer does not see its fences. Where they matter
// it would report too much, not too little.
#pragma once

#if defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif
