import type { FastifyRequest } from 'fastify';
import { originOf } from '../http/origin.ts';
import { type Client, deviceOf } from '../sessions/device.ts';

/** Where the request of a sign-in comes from, and the device that sends it. */
export function clientOf(request: FastifyRequest): Client {
  return { origin: originOf(request), device: deviceOf(request.headers['user-agent']) };
}
