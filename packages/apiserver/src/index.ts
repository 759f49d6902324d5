/** An in-memory Kubernetes API server over real HTTP. */

// The server
export { ApiServer, createApiServer, type ServerCluster } from './api-server.ts';
export type { ApiServerOptions } from './api-server-options.ts';
export type { TlsMaterial } from './http/http-listener.ts';
export type { User } from './auth/user.ts';

// Trouble on demand, and what was asked
export type { CutOptions, DelayOptions, FailureOptions, Faults } from './faults/faults.ts';
export type { CountedScope, Fault } from './faults/active-faults.ts';
export type { FaultScope } from './faults/fault-scope.ts';
export type { Stats } from './stats.ts';

// Users
export { parseTokenFile } from './auth/token-file.ts';

// Errors
export { ApiServerError } from './api-server-error.ts';
export { apiserverErrors, type ApiServerErrorCode } from './errors.ts';
