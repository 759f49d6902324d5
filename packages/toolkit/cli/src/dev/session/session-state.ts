/** The state of a development session. */
export type SessionState =
  /** The project is read and its definitions are installed. No program runs. `isOutdated`: a file changed since the start. */
  | { readonly phase: 'preparing'; readonly isOutdated: boolean }
  /** The program runs. */
  | { readonly phase: 'running' }
  /** A file changed. The program was requested to end. */
  | { readonly phase: 'stopping' }
  /** No program runs, because it ended or the preparation failed. The next change starts it. */
  | { readonly phase: 'waiting' }
  /** The user quit. The session waits for the end of the program or of the preparation. */
  | { readonly phase: 'closing'; readonly waitsFor: 'program' | 'preparation' }
  /** Nothing runs. The final state. */
  | { readonly phase: 'closed' };

/**
 * An event of a session. `prepared` and `failed` end a preparation. `exited` is the end of the program, and `expired`
 * the end of its grace period.
 */
export type SessionEvent = 'changed' | 'prepared' | 'failed' | 'exited' | 'expired' | 'quit';

/**
 * An action that the session carries out after a step. `terminate` and `shutDown` send SIGTERM and begin a grace period,
 * which is longer for `shutDown`.
 */
export type SessionEffect =
  | 'prepare'
  | 'cancel'
  | 'start'
  | 'terminate'
  | 'shutDown'
  | 'kill'
  | 'close';

/** A new state with its effects. */
export interface SessionStep {
  readonly state: SessionState;
  readonly effects: readonly SessionEffect[];
}

/** The first step of a session. */
export const firstStep: SessionStep = {
  state: { phase: 'preparing', isOutdated: false },
  effects: ['prepare'],
};

const toWaiting: SessionStep = { state: { phase: 'waiting' }, effects: [] };
const toClosed: SessionStep = { state: { phase: 'closed' }, effects: ['close'] };

/** Returns the next state. An event without a meaning in a state changes nothing, such as the end of an old timer. */
export function stepSession(state: SessionState, event: SessionEvent): SessionStep {
  const unchanged = { state, effects: [] };
  switch (state.phase) {
    case 'preparing':
      return stepPreparing(state, event) ?? unchanged;
    case 'running':
      return stepRunning(event) ?? unchanged;
    case 'stopping':
      return stepStopping(state, event) ?? unchanged;
    case 'waiting':
      if (event === 'changed') return firstStep;
      return event === 'quit' ? toClosed : unchanged;
    case 'closing':
      return stepClosing(state, event) ?? unchanged;
    case 'closed':
      return unchanged;
  }
}

type StateOf<Phase> = Extract<SessionState, { readonly phase: Phase }>;

function stepPreparing(
  { isOutdated }: StateOf<'preparing'>,
  event: SessionEvent,
): SessionStep | undefined {
  switch (event) {
    case 'changed':
      return { state: { phase: 'preparing', isOutdated: true }, effects: [] };
    case 'prepared':
      return isOutdated ? firstStep : { state: { phase: 'running' }, effects: ['start'] };
    case 'failed':
      return isOutdated ? firstStep : toWaiting;
    case 'quit':
      return { state: { phase: 'closing', waitsFor: 'preparation' }, effects: ['cancel'] };
    default:
      return undefined;
  }
}

function stepRunning(event: SessionEvent): SessionStep | undefined {
  switch (event) {
    case 'changed':
      return { state: { phase: 'stopping' }, effects: ['terminate'] };
    case 'exited':
      return toWaiting;
    case 'quit':
      return { state: { phase: 'closing', waitsFor: 'program' }, effects: ['shutDown'] };
    default:
      return undefined;
  }
}

function stepStopping(state: StateOf<'stopping'>, event: SessionEvent): SessionStep | undefined {
  switch (event) {
    case 'exited':
      // Changes until now need no further restart: the preparation reads the newest files.
      return firstStep;
    case 'expired':
      return { state, effects: ['kill'] };
    case 'quit':
      return { state: { phase: 'closing', waitsFor: 'program' }, effects: ['shutDown'] };
    default:
      return undefined;
  }
}

function stepClosing(state: StateOf<'closing'>, event: SessionEvent): SessionStep | undefined {
  if (state.waitsFor === 'preparation') {
    return event === 'prepared' || event === 'failed' ? toClosed : undefined;
  }
  if (event === 'exited') return toClosed;
  // A second Ctrl-C does not wait for the end of the grace period.
  return event === 'expired' || event === 'quit' ? { state, effects: ['kill'] } : undefined;
}
