# SPDX-License-Identifier: Apache-2.0
"""Surface pressure and temperature at 850 hPa of one time of a baroclinic wave, as a picture.

Usage: python baroclinic_wave.py my_run/files/layers_20000101T000000Z.nc 9 wave.png    (day 9)
"""

import sys

import matplotlib
import numpy as np
import xarray

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.tri import Triangulation

if len(sys.argv) != 4:
    sys.exit(__doc__)
path, day, picture = sys.argv[1:]
data = xarray.open_dataset(path)
data = data.sel(time=data.time[0] + np.timedelta64(int(float(day) * 86400), "s"))

# Temperature at 850 hPa: linear in the logarithm of pressure between the layers around it.
pressure, temperature = np.log(data.pfull.values), data.ta.values  # [level, vertex]
below = np.argmax(pressure > np.log(85000.0), axis=0)
columns = np.arange(below.size)
low, high = pressure[below, columns], pressure[below - 1, columns]
share = (low - np.log(85000.0)) / (low - high)
warm = (1 - share) * temperature[below, columns] + share * temperature[below - 1, columns]

surface = data.ps.values / 100.0
deepest = int(surface.argmin())
place = f"{data.vlon.values[deepest] % 360:.0f} E {data.vlat.values[deepest]:.0f} N"
print(f"surface pressure {surface.min():.1f} hPa at {place} to {surface.max():.1f} hPa")

# Three times around the Earth, so that contours do not end at a meridian.
lon = data.vlon.values % 360
around = Triangulation(np.concatenate([lon - 360, lon, lon + 360]), np.tile(data.vlat.values, 3))
figure, axes = plt.subplots(2, 1, figsize=(9, 7.5), sharex=True, layout="constrained")
fields = (
    (axes[0], surface, np.arange(940, 1031, 10), "surface pressure [hPa]"),
    (axes[1], warm, np.arange(220, 311, 10), "temperature at 850 hPa [K]"),
)
for axis, values, levels, title in fields:
    colours = axis.tricontourf(around, np.tile(values, 3), levels, cmap="turbo", extend="both")
    axis.tricontour(around, np.tile(values, 3), levels, colors="black", linewidths=0.5)
    axis.set(xlim=(45, 360), ylim=(0, 90), ylabel="latitude", title=f"{title}, day {day}")
    figure.colorbar(colours, ax=axis, ticks=levels)
axes[1].set_xlabel("longitude")
figure.savefig(picture, dpi=100)
