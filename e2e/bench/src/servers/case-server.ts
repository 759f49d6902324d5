import type { Address, Command, Reply } from './protocol.ts';

/** The server of a case while its contenders are measured, one after the other. */
export interface CaseServer {
  readonly address: Address;
  /** The program that runs the contenders in Go; `undefined` if they cannot connect to the server. */
  readonly peers?: string;
  ask(command: Command): Promise<Reply>;
  /** Processor time that the server has used, in seconds; `undefined` if unknown. */
  cpuSeconds?(): number | undefined;
}
