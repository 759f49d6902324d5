import { parseAddress } from '../values/addresses/parse-address.ts';

const atomLetter = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10FFFF}-]";
const dotAtom = `${atomLetter}+(?:\\.${atomLetter}+)*`;
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const comments = '(?:[ \\t]|\\((?:[^()\\\\]|\\\\.)*\\))*';
const address = `(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[(?<literal>[^\\[\\]\\\\]*)\\])`;
/** Words before an address in angle brackets. */
const displayName = `(?:${atomLetter}|[. \\t]|${quoted})*`;

const plain = new RegExp(`^${comments}${address}${comments}$`, 'u');
const named = new RegExp(`^${displayName}<${address}>${comments}$`, 'u');

/** True for an address of RFC 5322 with or without a display name, as Go's `mail.ParseAddress` accepts it. */
export function isEmail(text: string): boolean {
  const match = plain.exec(text) ?? named.exec(text);
  const literal = match?.groups?.['literal'];
  return match !== null && (literal === undefined || typeof parseAddress(literal) !== 'string');
}
