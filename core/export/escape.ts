// Text of a document on its way into a report: nothing in it may become markup there.

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Safe between tags and inside quoted attributes. Control characters that no renderer shows, and marks that turn the direction of text, become visible. */
export function escapeHtml(text: string): string {
  return text.replace(/[[\p{Cc}--[\t\n\r]]\u202a-\u202e\u2066-\u2069]/gv, '\ufffd').replace(/[&<>"']/g, (character) => HTML[character]!);
}

/** Safe inside a line of Markdown: marks lose their meaning, line breaks become spaces. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|~]/g, (character) => `\\${character}`)
    .replace(/^(\s*)([#+-]|\d+[.)])(?=\s)/, '$1\\$2');
}
