const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';

/** The formats that the server checks; every other is a comment. */
const formats: Readonly<Record<string, RegExp>> = {
  'date-time':
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  duration:
    /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$|^0$/,
  email: /^[^\s@]+@[^\s@]+$/,
  hostname:
    /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/,
  ipv4: new RegExp(`^${octet}(\\.${octet}){3}$`),
  ipv6: /^(?=.*:.*:)[0-9A-Fa-f:.]+$/,
  uuid: /^[0-9A-Fa-f]{8}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{12}$/,
  byte: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/,
};

/** Whether a text has a format; one that the server does not know fits every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats[format]?.test(text) ?? true;
}
