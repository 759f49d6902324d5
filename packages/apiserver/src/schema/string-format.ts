import { Duration } from '../cel/values/duration.ts';
import { succeeds } from '../cel/values/evaluation-error.ts';

const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';

const dateTime =
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The formats that the server checks; every other is a comment. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => dateTime.test(text) && isDay(text.slice(0, 10)),
  date: isDay,
  duration: (text) => succeeds(() => Duration.parseFormat(text)),
  email: like(/^[^\s@]+@[^\s@]+$/),
  hostname: like(
    /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/,
  ),
  ipv4: like(new RegExp(`^${octet}(\\.${octet}){3}$`)),
  ipv6: like(/^(?=.*:.*:)[0-9A-Fa-f:.]+$/),
  uuid: like(/^[0-9A-Fa-f]{8}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{12}$/),
  byte: like(/^(?=.)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  uri: like(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/),
};

/** Whether a text has a format; one that the server does not know fits every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats[format]?.(text) ?? true;
}

function like(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

/** A day that the calendar has. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
