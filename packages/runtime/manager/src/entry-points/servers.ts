/**
 * The servers of a manager: metrics, health checks, profiles and routes, with their certificates and their access
 * rules.
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
