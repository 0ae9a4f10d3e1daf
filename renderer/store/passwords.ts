// Passwords of protected files, for as long as this window lives. Never in the store, never on a disk.
const known = new Map<string, string>();

export const passwordOf = (documentId: string): string | undefined => known.get(documentId);

export function rememberPassword(documentId: string, password: string): void {
  known.set(documentId, password);
}
