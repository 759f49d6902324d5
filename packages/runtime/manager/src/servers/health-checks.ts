import { AsyncLocalStorage } from 'node:async_hooks';
import { abortable, invalidOption } from '@keelson/apimachinery';
import type { PlainResponse } from './http-server.ts';
import type { Logger } from '../logging/logger.ts';

/**
 * A check of `/healthz` and `/livez`, or of `/readyz`, which fails by throwing or rejecting. The signal aborts after 5
 * seconds. Runs in the async context in which it was added.
 */
export type HealthCheck = (signal: AbortSignal) => unknown;

/** Milliseconds after which a running check counts as failed. */
const CHECK_TIMEOUT_MS = 5000;

/**
 * The checks of one endpoint, which may have several paths (`/healthz` and `/livez`). It passes if every check passes.
 * Each check also has its own path below the endpoint. The reason of a failure is logged and never sent, because the
 * endpoint has no authorization.
 */
export class HealthChecks {
  readonly #paths: readonly string[];
  readonly #failedStatus: number;
  readonly #log: Logger;
  readonly #checks = new Map<string, HealthCheck>();
  /** The text that a failed check of Keelson shows to everyone. Other reasons are withheld. */
  readonly #shown = new Map<string, () => string>();
  /** The running checks by name. */
  readonly #running = new Map<string, { check: HealthCheck; passes: Promise<boolean> }>();
  /** The last logged failure of each check. Probes arrive every few seconds, and repetitions are not logged. */
  readonly #logged = new WeakMap<HealthCheck, string>();

  constructor(paths: readonly string[], failedStatus: number, log: Logger) {
    this.#paths = paths;
    this.#failedStatus = failedStatus;
    this.#log = log;
  }

  /**
   * Adds a check and returns a function that removes it. `shown` returns the reason of a failure as everyone may see
   * it. Throws `INVALID_OPTION` for a name in use.
   */
  add(name: string, check: HealthCheck, shown?: () => string): () => void {
    if (typeof name !== 'string' || !/^[A-Za-z0-9][-A-Za-z0-9_.]*$/.test(name)) {
      throw invalidOption('check.name', 'must be a name: letters, digits, - _ .');
    }
    if (this.#checks.has(name)) throw invalidOption('check.name', 'is in use', { name });
    if (typeof check !== 'function') throw invalidOption('check', 'must be a function');
    // Otherwise the check would run in the async context of the request.
    const inContext = AsyncLocalStorage.snapshot();
    const bound: HealthCheck = (signal) => inContext(check, signal);
    this.#checks.set(name, bound);
    if (shown !== undefined) this.#shown.set(name, shown);
    return () => {
      if (this.#checks.get(name) === bound) this.#checks.delete(name);
    };
  }

  /** The response for a path; `undefined` for another endpoint or an unknown check. */
  respond(url: URL): Promise<PlainResponse> | undefined {
    const { pathname, searchParams } = url;
    const path = this.#paths.find((each) => pathname === each || pathname.startsWith(`${each}/`));
    if (path === undefined) return undefined;
    const name = pathname.slice(path.length + 1);
    if (name === '') {
      const excluded = new Set(searchParams.getAll('exclude').flatMap((value) => value.split(',')));
      return this.#respondForAll(path, excluded, searchParams.has('verbose'));
    }
    const check = this.#checks.get(name);
    return check === undefined ? undefined : this.#respondForOne(name, check);
  }

  async #respondForAll(
    path: string,
    excluded: ReadonlySet<string>,
    verbose: boolean,
  ): Promise<PlainResponse> {
    const lines = await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        if (excluded.has(name)) return { ok: true, line: `[+]${name} excluded: ok` };
        const ok = await this.#passes(name, check);
        return { ok, line: ok ? `[+]${name} ok` : this.#failure(name) };
      }),
    );
    const ok = lines.every((line) => line.ok);
    const unknown = [...excluded].filter((name) => !this.#checks.has(name));
    const warnings = unknown.map((name) => `warn: no check is called ${JSON.stringify(name)}`);
    const verdict = `${path.slice(1)} check ${ok ? 'passed' : 'failed'}`;
    const report = [...lines.map(({ line }) => line), ...warnings, verdict].join('\n');
    const body = ok && !verbose ? 'ok' : `${report}\n`;
    return { status: ok ? 200 : this.#failedStatus, body };
  }

  async #respondForOne(name: string, check: HealthCheck): Promise<PlainResponse> {
    const ok = await this.#passes(name, check);
    return ok
      ? { status: 200, body: 'ok' }
      : { status: this.#failedStatus, body: `${this.#failure(name)}\n` };
  }

  #failure(name: string): string {
    return `[-]${name} failed: ${this.#shown.get(name)?.() ?? 'reason withheld'}`;
  }

  /** Runs a check. Requests that arrive while it runs share its result, so that probes cannot pile up user code. */
  #passes(name: string, check: HealthCheck): Promise<boolean> {
    const running = this.#running.get(name);
    if (running?.check === check) return running.passes;
    const passes = this.#run(name, check).finally(() => {
      if (this.#running.get(name)?.passes === passes) this.#running.delete(name);
    });
    this.#running.set(name, { check, passes });
    return passes;
  }

  async #run(name: string, check: HealthCheck): Promise<boolean> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new DOMException('the check took too long', 'TimeoutError'));
    }, CHECK_TIMEOUT_MS);
    try {
      await abortable((async () => check(late.signal))(), [late.signal]);
      this.#logged.delete(check);
      return true;
    } catch (error) {
      const why = textOf(error);
      const facts = { endpoint: this.#paths[0], check: name, err: error };
      if (this.#logged.get(check) !== why) this.#log.info(facts, 'check failed');
      this.#logged.set(check, why);
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The text of a thrown value, for which `String` may throw. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error without a message';
  }
}
