// The number that two processes compare in their first message; a host with another one is replaced.
export const CONTRACT_VERSION = 3;
// Version of the stored `Document` form; an older stored one is parsed again from its bytes.
export const DOCUMENT_VERSION = 2;
