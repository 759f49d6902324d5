/** Characters that move, hide or reorder text on a terminal, and that `JSON.stringify` does not escape. */
const HIDDEN = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
/** Characters that `JSON.stringify` escapes: controls, and halves of surrogate pairs. */
const CONTROLS = /[\p{Cc}\p{Cs}]/gu;

/** Escapes the characters of a JSON text that a terminal would not show. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, escaped);
}

/**
 * Returns the text as one line that is safe on a terminal. Text from elsewhere, such as the message of an error, could
 * hide or overwrite lines.
 */
export function oneLine(text: string): string {
  return escapeHidden(text.replaceAll(CONTROLS, escaped));
}

function escaped(character: string): string {
  if (character === '\n') return String.raw`\n`;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
