export { createTicket, hasTicket, useTicket } from './tickets.ts';
