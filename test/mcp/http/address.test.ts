import { expect, test } from 'vitest';
import {
  countedAddress,
  forwardedAddress,
  isPublicAddress,
} from '../../../src/mcp/http/address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:567', '192.0.2.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:567', '2001:db8::7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['192.0.2.7:', undefined],
  ['192.0.2', undefined],
  ['3221225991', undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['example.com:80', undefined],
  ['', undefined],
  [undefined, undefined],
])('X-Forwarded-For %j names the address %j', (header, address) => {
  expect(forwardedAddress(header)).toBe(address);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%j counts as %j', (address, counted) => {
  expect(countedAddress(address)).toBe(counted);
});

test.each([
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.0.1'],
  ...['192.0.0.8', '192.0.2.1', '192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::a00:1', '2001::1', '2001:db8::1'],
  ...['2002:a00:1::', 'fc00::1', 'fd00::1', 'fe80::1', 'fec0::1', 'ff02::1', 'localhost', ''],
])('%j is no address of the internet', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '93.184.216.34', '::ffff:8.8.8.8', '2606:4700::1111'])(
  '%j is an address of the internet',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);
