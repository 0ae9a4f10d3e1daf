// The document store seen from outside: what lies in its folder and whose it is, for all models, none of which need be open.
//
// Owns: listing, and deleting by owner or altogether. Leaves the stores of open models to DiskStore::forget_owner, which knows its own files: ask
// that first, or an open store notices only at the next read that a file is gone.
// Rule that must stay true: when forget_stored() returns without an error, no file that only this owner had is left, and neither is its ledger.
#pragma once

#include <string>

#include "native/kv/kv.h"

namespace codicil::kv {

// io_failed with what the system said, and with every file that is left; a folder that is not there holds nothing.
Result<Stored> list_stored(const std::string& store_folder);
Result<Forgotten> forget_stored(const std::string& store_folder, const std::string& owner);
Result<Forgotten> clear_stored(const std::string& store_folder);

}  // namespace codicil::kv
