import { BlockList, isIP } from 'node:net';
import { isLoopback } from '@keelson/apimachinery';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a URL by the rules of Go's `net/http` (`ProxyFromEnvironment`), which client-go uses.
 * The scheme selects `HTTPS_PROXY` or `HTTP_PROXY`, in capitals or lower case. Hosts in `NO_PROXY` and
 * loopback hosts use no proxy.
 */
export function proxyFor(url: URL, environment: Environment): string | undefined {
  const isSecure = url.protocol === 'https:';
  const proxy = variable(environment, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || !isProxied(url, variable(environment, 'NO_PROXY'))) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function variable(environment: Environment, name: string): string {
  return (environment[name] || environment[name.toLowerCase()] || '').trim();
}

function isProxied(url: URL, exceptions: string): boolean {
  const host = hostOf(url);
  if (isLoopback(host)) return false;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = exceptions.split(',').map((entry) => entry.trim().toLowerCase());
  return !entries.some((entry) => entry !== '' && matches(entry, host, port));
}

/** Returns the host of a URL in lower case, without the brackets of IPv6 and without a trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInSubnet(entry, host);
  const { name, port: only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return isSameAddress(name, host);
  if (isIP(host) !== 0) return false;
  // `*.example.com` and `.example.com` match only subdomains; `example.com` also matches itself.
  const suffix = name.replace(/^\*?\./, '');
  return (name === suffix && host === suffix) || host.endsWith(`.${suffix}`);
}

function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  if (isIP(entry) === 6) return { name: entry };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return port === undefined ? { name: bare } : { name: bare, port };
}

function isInSubnet(entry: string, host: string): boolean {
  const [network = '', length = ''] = entry.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  const family = isIP(network);
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(length) || Number(length) > bits)
    return false;
  const subnet = new BlockList();
  subnet.addSubnet(network, Number(length), family === 6 ? 'ipv6' : 'ipv4');
  return subnet.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function isSameAddress(address: string, host: string): boolean {
  if (isIP(address) !== isIP(host)) return false;
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const only = new BlockList();
  only.addAddress(address, family);
  return only.check(host, family);
}
