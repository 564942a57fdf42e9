import { cookieTokens, createClient } from '@stoa/client';

/** The folder of the console, with a slash at its end: `/console/`, or below the path of a proxy. */
export const BASE = new URL(document.baseURI).pathname;

/** The service itself is one folder up. */
export const SERVICE = BASE.replace(/\/console\/$/, '');

/** The one client of the page. The console does nothing that a program could not do with it. */
export const stoa = createClient({ url: SERVICE, tokens: cookieTokens() });
