/** Characters that move, hide or reorder text on a terminal, and that `JSON.stringify` does not escape. */
const HIDDEN = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
/** Those that `JSON.stringify` escapes: controls, and halves of characters. */
const CONTROLS = /[\p{Cc}\p{Cs}]/gu;

/** Escapes what a terminal would not show, in a text that is JSON already. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, escaped);
}

/**
 * The text in one line, as a terminal can show it: text of others, such as the message of an error, could rewrite or hide
 * lines, or look like one of its own.
 */
export function oneLine(text: string): string {
  return escapeHidden(text.replaceAll(CONTROLS, escaped));
}

function escaped(character: string): string {
  if (character === '\n') return String.raw`\n`;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
