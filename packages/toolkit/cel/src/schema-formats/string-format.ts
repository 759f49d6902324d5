import { Duration } from '../values/duration.ts';
import { succeeds } from '../values/evaluation-error.ts';
import { WebAddress } from '../values/addresses/url.ts';
import { isCidr, isIpv4, isIpv6, isMac } from './address-format.ts';
import { isEmail } from './email-format.ts';
import { isCreditCard, isIsbn10, isIsbn13 } from './number-format.ts';
import { checkDnsLabel, checkSubdomain } from './name-syntax.ts';

type Format = (text: string) => boolean;

const dateTime =
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?([Zz]|[+-]\d\d:\d\d)$/;
/** The spaces of `\s` in Go. */
const spaces = String.raw`[\t\n\f\r ]*`;
const byteOfColor = String.raw`${spaces}(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])${spaces}`;
const hostLetter = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
const hostLabel = String.raw`${hostLetter}([a-zA-Z0-9\-\p{S}\p{L}]{0,61}${hostLetter})?`;
const hostname = new RegExp(
  String.raw`^(${hostLetter}(-?${hostLetter}{0,62})?|(${hostLabel}\.)+[a-zA-Z\p{L}]{2,63})$`,
  'u',
);

/** The formats that kube-apiserver 1.36 checks, by their names without dashes. */
const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['bsonobjectid', like(/^[0-9A-Fa-f]{24}$/)],
  ['byte', like(/^(?=.)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDay],
  ['datetime', (text) => dateTime.test(text) && isDay(text.slice(0, 10))],
  ['duration', (text) => succeeds(() => Duration.parseFormat(text))],
  ['email', isEmail],
  ['hexcolor', like(/^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/)],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', (text) => checkSubdomain(text).length === 0],
  ['k8sshortname', (text) => checkDnsLabel(text).length === 0],
  ['mac', isMac],
  ['password', () => true],
  ['rgbcolor', like(new RegExp(`^rgb\\(${byteOfColor},${byteOfColor},${byteOfColor}\\)$`))],
  ['ssn', like(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['uri', isUri],
  ['uuid', uuid('[0-9a-f]{4}', '[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
]);

/** True if a string has a format. Every string has an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(normalName(format))?.(text) ?? true;
}

/** True if kube-apiserver checks a format; for other formats in a definition it returns a warning. */
export function isKnownFormat(format: string): boolean {
  return formats.has(normalName(format));
}

/** Removes dashes: `date-time` and `datetime` are the same format. */
function normalName(format: string): string {
  return format.replaceAll('-', '');
}

function like(pattern: RegExp): Format {
  return (text) => pattern.test(text);
}

function uuid(version: string, variant: string): Format {
  const hex = '[0-9a-f]';
  return like(new RegExp(`^${hex}{8}-?${hex}{4}-?${version}-?${variant}-?${hex}{12}$`, 'i'));
}

/** True for a date that exists in the calendar. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** True for a host name. Limits count bytes, as in Go. */
function isHostname(text: string): boolean {
  return (
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((label) => Buffer.byteLength(label) <= 63) &&
    hostname.test(text)
  );
}

/** True for an absolute URL or a path, as in an HTTP request. A fragment counts as a part of the path. */
function isUri(text: string): boolean {
  const request = text.replaceAll('#', 'x');
  return [text, request].every((each) => succeeds(() => new WebAddress(each)));
}
