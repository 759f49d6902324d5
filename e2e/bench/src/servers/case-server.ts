import type { Address, Command, Metrics, Reply } from './protocol.ts';

/** The server of a case while its contenders are measured, one after the other. */
export interface CaseServer {
  readonly address: Address;
  ask(command: Command): Promise<Reply>;
  /** The measurement of the last command; `undefined` without one. */
  measured?(): Metrics | undefined;
  /** Processor time that the server has used, in seconds; `undefined` if unknown. */
  cpuSeconds?(): number | undefined;
}
