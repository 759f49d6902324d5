/**
 * The servers of a manager: metrics, health checks, profiles and routes, with their certificates and their access rules.
 *
 * - `ServersOptions` is the option `servers` of `createManager`, and has one member for each server.
 * - `selfSignedCertificate` makes a certificate for a server whose clients do not verify it.
 * - `HealthCheck` and `RouteHandler` are functions of the user that these servers call.
 *
 * @module
 */

export { selfSignedCertificate } from '../servers/self-signed-certificate.ts';
export type {
  CertificateFilePaths,
  CertificateSecretPlace,
  GivenCertificate,
  MetricsCertificatePaths,
  DebugServerOptions,
  MetricsServerOptions,
  ServerPorts,
  ServerAddress,
  ServerOptions,
  ServersOptions,
  WebhookServerOptions,
} from '../servers/server-options.ts';
export type { HealthCheck } from '../servers/health-checks.ts';
export type { RouteHandler, RouteRequest, RouteResponse } from '../servers/routes.ts';
