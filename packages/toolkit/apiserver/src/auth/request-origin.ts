import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostnameOf, isLoopback } from '@keelson/apimachinery';

/** The hosts by which clients reach the server. */
export interface RequestOriginOptions {
  /** The host that the server listens on. */
  readonly host: string;
  /** Further names of the server. */
  readonly allowedHosts: readonly string[];
  readonly isSecure: boolean;
}

/**
 * Recognizes requests that a web page of another site makes a browser send. Browsers connect to loopback addresses for
 * every page, so the server does not grant such a request anything, whatever its credentials. A page reaches the server
 * by its address, then the `Origin` names the page, or by a name of the page's own that resolves to the server's address
 * (DNS rebinding), then the `Host` is that name.
 */
export class RequestOrigin {
  readonly #names: ReadonlySet<string>;
  /** A page cannot have another server's address as its host, so rebinding needs a name. */
  readonly #isAnyAddressAllowed: boolean;
  readonly #scheme: 'http' | 'https';
  /** The last host of the server that a request had. Most requests have it too. */
  #lastOwn: string | undefined;

  constructor({ host, allowedHosts, isSecure }: RequestOriginOptions) {
    this.#names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
    this.#isAnyAddressAllowed = !isLoopback(host);
    this.#scheme = isSecure ? 'https' : 'http';
  }

  /** Returns why a request is refused; `undefined` for a request that no other site caused. */
  refusalOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
    const { origin, host, ':authority': authority } = headers;
    // HTTP/1.1 and 2 require one of them, and browsers do not send HTTP/1.0.
    const hosts = [host, authority].filter((each) => each !== undefined);
    if (!hosts.every((each) => this.#isOwn(String(each)))) {
      return 'the Host of the request is not a host of this server';
    }
    const isOwnOrigin = (each: unknown): boolean => origin === `${this.#scheme}://${String(each)}`;
    if (origin !== undefined && !hosts.some(isOwnOrigin)) {
      return 'the Origin of the request is another site';
    }
    // Browsers send no Origin with a GET request that the page may not read.
    const site = headers['sec-fetch-site'] ?? 'none';
    const isOwnSite = site === 'none' || site === 'same-origin';
    return isOwnSite ? undefined : 'the request was made by another site';
  }

  #isOwn(authority: string): boolean {
    if (authority === this.#lastOwn) return true;
    const isOwn = this.#isNamed(authority);
    if (isOwn) this.#lastOwn = authority;
    return isOwn;
  }

  #isNamed(authority: string): boolean {
    const host = hostnameOf(authority);
    if (host === undefined) return false;
    if (this.#isAnyAddressAllowed && isIP(host) !== 0) return true;
    return isLoopback(host) || this.#names.has(host);
  }
}
