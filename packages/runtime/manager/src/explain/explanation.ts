import { controllerText, requestText } from './explanation-text.ts';
import type {
  ControllerExplanationFacts,
  ExplainedDrop,
  ExplainedEvent,
  ExplainedRun,
  ExplainedWatch,
  ExplanationFacts,
  ObjectWriter,
  Obstacle,
  RequestState,
} from './explanation-facts.ts';

/** Why a request ran, or why it does not: an object for programs, and `text` for people. */
export class Explanation implements ExplanationFacts {
  readonly controller: string;
  readonly request: string;
  readonly state: RequestState;
  readonly obstacles: readonly Obstacle[];
  readonly nextRun: string | undefined;
  readonly events: readonly ExplainedEvent[];
  readonly runs: readonly ExplainedRun[];
  readonly dropped: readonly ExplainedDrop[];
  readonly hasHistory: boolean;
  /** The explanation as lines of text. */
  readonly text: string;
  readonly #readWriters: () => Promise<readonly ObjectWriter[]>;

  constructor(facts: ExplanationFacts, readWriters: () => Promise<readonly ObjectWriter[]>) {
    this.controller = facts.controller;
    this.request = facts.request;
    this.state = facts.state;
    this.obstacles = facts.obstacles;
    this.nextRun = facts.nextRun;
    this.events = facts.events;
    this.runs = facts.runs;
    this.dropped = facts.dropped;
    this.hasHistory = facts.hasHistory;
    this.text = requestText(facts);
    this.#readWriters = readWriters;
  }

  /**
   * Reads from the API server which field managers wrote the objects of the events last. The cache removes managed
   * fields before it stores an object, so this sends a list for each object, of five at most. Objects that are gone are
   * left out. Rejects with the error of a list.
   */
  writers(): Promise<readonly ObjectWriter[]> {
    return this.#readWriters();
  }

  toString(): string {
    return this.text;
  }
}

/** Why a controller runs, or why it does not: an object for programs, and `text` for people. */
export class ControllerExplanation implements ControllerExplanationFacts {
  readonly controller: string;
  readonly phase: string;
  readonly state: string;
  readonly obstacles: readonly Obstacle[];
  readonly watches: readonly ExplainedWatch[];
  readonly ready: number;
  readonly running: number;
  readonly concurrency: number;
  readonly requests: number;
  /** The explanation as lines of text. */
  readonly text: string;

  constructor(facts: ControllerExplanationFacts) {
    this.controller = facts.controller;
    this.phase = facts.phase;
    this.state = facts.state;
    this.obstacles = facts.obstacles;
    this.watches = facts.watches;
    this.ready = facts.ready;
    this.running = facts.running;
    this.concurrency = facts.concurrency;
    this.requests = facts.requests;
    this.text = controllerText(facts);
  }

  toString(): string {
    return this.text;
  }
}
