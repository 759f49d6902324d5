import type { ProgramEnd, RunningProgram } from '../program/running-program.ts';
import {
  firstStep,
  stepSession,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
} from './session-state.ts';

/** Time for the end of the program after SIGTERM, before a restart. */
const RESTART_GRACE_MS = 800;
/** Time for the end of the program after SIGTERM when the user quits. */
const SHUTDOWN_GRACE_MS = 5000;

/** The actions of a session that reach the operating system and the cluster. */
export interface SessionHost {
  /** Reads the project and installs its definitions. Reports a failure itself, and resolves with whether it succeeded. */
  prepare(signal: AbortSignal): Promise<boolean>;
  start(): RunningProgram;
  /** Reports that the program ended by itself. */
  ended(end: ProgramEnd): void;
}

/** Runs the program of a project and restarts it after changes, by the transitions of `stepSession`. */
export class DevSession {
  readonly #host: SessionHost;
  readonly #closed = Promise.withResolvers<void>();
  readonly #cancel = new AbortController();
  #state: SessionState = firstStep.state;
  #program: RunningProgram | undefined;
  #grace: NodeJS.Timeout | undefined;

  /** Begins to prepare and to run the program. */
  constructor(host: SessionHost) {
    this.#host = host;
    this.#apply(firstStep.effects);
  }

  /** Resolves when the program has ended after `quit`. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get phase(): SessionState['phase'] {
    return this.#state.phase;
  }

  /** Handles a change of the files. */
  change(): void {
    this.#send('changed');
  }

  /** Ends the program; a second call kills it. */
  quit(): void {
    this.#send('quit');
  }

  #send(event: SessionEvent): void {
    const { state, effects } = stepSession(this.#state, event);
    this.#state = state;
    this.#apply(effects);
  }

  #apply(effects: readonly SessionEffect[]): void {
    for (const effect of effects) this.#effects[effect]();
  }

  readonly #effects: Readonly<Record<SessionEffect, () => void>> = {
    prepare: () => void this.#prepare(),
    cancel: () => this.#cancel.abort(),
    start: () => void this.#start(),
    terminate: () => this.#terminate(RESTART_GRACE_MS),
    shutDown: () => this.#terminate(SHUTDOWN_GRACE_MS),
    kill: () => this.#program?.kill(),
    close: () => this.#closed.resolve(),
  };

  async #prepare(): Promise<void> {
    this.#send((await this.#host.prepare(this.#cancel.signal)) ? 'prepared' : 'failed');
  }

  async #start(): Promise<void> {
    this.#program = this.#host.start();
    const end = await this.#program.ended;
    clearTimeout(this.#grace);
    this.#program = undefined;
    if (this.#state.phase === 'running') this.#host.ended(end);
    this.#send('exited');
  }

  #terminate(graceMs: number): void {
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#send('expired'), graceMs);
    this.#program?.terminate();
  }
}
