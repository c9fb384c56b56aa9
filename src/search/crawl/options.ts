import { type Static, Type } from 'typebox'

export const crawlerOptions = Type.Object({
  contact: Type.String({
    default: '',
    maxLength: 200,
    pattern: '^[\\x21-\\x27\\x2a-\\x7e]*$',
    env: 'UNMASK_CRAWLER_CONTACT',
    description:
      'A page or e-mail address where site owners reach you; every request carries it. Without it no public site is crawled.',
  }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: 600_000,
    default: 1000,
    env: 'UNMASK_CRAWLER_DELAY_MS',
    description: 'Least milliseconds between two requests to one host; a site can ask for more in its robots.txt.',
  }),
  concurrency: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 16,
    env: 'UNMASK_CRAWLER_CONCURRENCY',
    description: 'Hosts that are asked at the same time; one host is never asked twice at once.',
  }),
  pageBytesMax: Type.Integer({
    minimum: 65_536,
    maximum: 268_435_456,
    default: 10_485_760,
    env: 'UNMASK_CRAWLER_PAGE_BYTES_MAX',
    description: 'Bytes of one page as they come over the wire; a longer one is cut there.',
  }),
  hostPagesMax: Type.Integer({
    minimum: 1,
    maximum: 100_000_000,
    default: 100_000,
    env: 'UNMASK_CRAWLER_HOST_PAGES_MAX',
    description: 'URLs of one host that a crawl keeps in its queue; further ones are left out.',
  }),
  allowPrivate: Type.Boolean({
    default: false,
    env: 'UNMASK_CRAWLER_ALLOW_PRIVATE',
    description:
      'Also crawl private and loopback addresses and ports other than 80 and 443. Only for your own network.',
  }),
  warcBytesMax: Type.Integer({
    minimum: 1_000_000,
    maximum: 100_000_000_000,
    default: 1_000_000_000,
    env: 'UNMASK_CRAWLER_WARC_BYTES_MAX',
    description: 'Size after which a WARC file is finished and the next one begun.',
  }),
})

export type CrawlerOptions = Static<typeof crawlerOptions>
