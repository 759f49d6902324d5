import { shortEscapes } from '../../values/short-escapes.ts';

/** Writes a string as a CEL literal. */
export function quote(text: string): string {
  const body = Array.from(text.toWellFormed(), (each) => shortEscapes.get(each) ?? each);
  return `"${body.join('')}"`;
}
