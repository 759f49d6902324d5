/**
 * Tests of kinds with several versions. It needs `fast-check`, an optional peer dependency of this package.
 *
 * @packageDocumentation
 */
export { roundTrips, type RoundTripOptions, type TestedKind } from './round-trips.ts';
