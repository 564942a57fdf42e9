import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { METRICS } from '../../src/domain/metrics.ts';
import { call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { metricsUrl, scrape, select } from '../support/metrics.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const SETTINGS = { METRICS_PORT: '0' };

onEveryEngine('Metrics', (engine) => {
  it('dump', async (t) => {
    const service = await startService(t, engine, { ...SETTINGS, SMTP_URL: 'log', PUBLIC_URL: 'https://x.example' });
    const { token } = await newAccount(service.url);
    await newItem(service.url, token);
    await call(service.url, 'GET', '/api/content?keyword=nothing');
    const { text } = await scrape(service);
    (await import('node:fs')).writeFileSync(`/tmp/promtool/${engine.name}.txt`, text);
  });
});
